"""The agent's journal between machines: its lines hold inode numbers, which are others in a copy of a tree.

  CRC32 BOOT KIND INODE FILE DIR ...        KIND: w, d (a file of DIR), m, u (the directory DIR/FILE)
"""
import os
import zlib


def checksum(text):
    return f"{zlib.crc32(text.encode('utf-8', 'surrogateescape')):08x}"


def split(line):
    """The fields of a sound line, else None."""
    fields = line[9:].split(" ")
    sound = len(line) > 9 and line[8] == " " and checksum(line[9:]) == line[:8] and len(fields) >= 5
    return fields if sound and fields[2].isdigit() else None


def retarget(text, inodes):
    """The journal for a copy of the tree whose inodes are `inodes` {recorded: copy}."""
    out = []
    for line in text.split("\n"):
        fields = split(line)
        if fields and int(fields[2]) in inodes:
            fields[2] = str(inodes[int(fields[2])])
            line = " ".join(fields)
            line = checksum(line) + " " + line
        out.append(line)
    return "\n".join(out)


def comparable(text, host_root):
    """The journal with words for its inodes, without checksums: "0", "this" (the directory has it now) or
    "another"."""
    out = []
    for line in text.split("\n"):
        fields = split(line)
        if fields:
            path = fields[4] + "/" + fields[3] if fields[1] in "mu" else fields[4]
            try:
                now = os.stat(os.path.join(host_root, path)).st_ino
            except OSError:
                now = None
            inode = int(fields[2])
            fields[2] = "0" if inode == 0 else "this" if inode == now else "another"
            line = "CRC " + " ".join(fields)
        out.append(line)
    return "\n".join(out)
