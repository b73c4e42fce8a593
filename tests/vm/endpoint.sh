# Functions that the cases of a guest share: ask the agent's endpoint, the unix socket $dir/socket. Sourced.
# figure NAME: of /metrics.
figure() {
  perl -MIO::Socket::UNIX -e '
    my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
    print $s "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n";
    while (<$s>) { print $1 if /^$ARGV[1] (\S+)/ }' "$dir/socket" "$1"
}
ticks() { figure evenkeel_ticks_total; }
