# debian_source DIRECTORY PACKAGE...: downloads source packages of this machine's own Debian release. Does not change
# the machine's apt: deb-src copies of its Debian sources, with their own lists, are in DIRECTORY. Sourced.
debian_source() {
  local directory=$1 file
  shift
  mkdir -p "$directory/apt/sources" "$directory/apt/lists/partial"
  for file in /etc/apt/sources.list.d/*.sources; do
    if grep -qs debian-archive-keyring "$file"; then
      sed 's/^Types:.*/Types: deb-src/' "$file" >"$directory/apt/sources/${file##*/}"
    fi
  done
  sed -n '/debian/s/^deb /deb-src /p' /etc/apt/sources.list >"$directory/apt/sources/main.list" 2>/dev/null || true
  local own=(-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$directory/apt/sources"
    -o Dir::State::lists="$directory/apt/lists" -o APT::Sandbox::User=root -o Acquire::Retries=3)
  (cd "$directory" && apt-get "${own[@]}" update && apt-get "${own[@]}" --download-only source "$@")
}
