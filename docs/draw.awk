# Draws a picture of boxes and arrows as SVG: awk -f docs/draw.awk docs/loop.txt > docs/loop.svg
# Prints the same bytes each time. The colours follow the reader's light or dark theme.
function escape(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}
function rest(from,    i, text) {
  text = $from
  for (i = from + 1; i <= NF; i++) text = text " " $i
  return escape(text)
}
function say(x, y, style, text) {
  printf "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, style, text
}
/^#/ || NF == 0 { next }
$1 == "size" {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", $2, $3, $2, $3
  print "<title>" rest(4) "</title>"
  print "<style>"
  print "  text { font-family: -apple-system, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif; text-anchor: middle; fill: #1f2328; }"
  print "  .title { font-size: 15px; font-weight: 600; }"
  print "  .line { font-size: 12px; fill: #59636e; }"
  print "  .paper { fill: #ffffff; stroke: #d1d9e0; }"
  print "  .input { fill: #fff8e1; stroke: #b08800; }"
  print "  .step { fill: #e7f1fd; stroke: #2f6fbd; }"
  print "  .kernel { fill: #e8f5ea; stroke: #2c8a47; }"
  print "  .output { fill: #f3ecfb; stroke: #8250c4; }"
  print "  .arrow { fill: none; stroke: #59636e; stroke-width: 2; }"
  print "  .head { fill: #59636e; }"
  print "  @media (prefers-color-scheme: dark) {"
  print "    text { fill: #f0f6fc; }"
  print "    .line { fill: #b1bac4; }"
  print "    .paper { fill: #0d1117; stroke: #3d444d; }"
  print "    .input { fill: #332701; stroke: #d29922; }"
  print "    .step { fill: #0c2d56; stroke: #58a6ff; }"
  print "    .kernel { fill: #0b3316; stroke: #3fb950; }"
  print "    .output { fill: #2f1a4e; stroke: #bc8cff; }"
  print "    .arrow { stroke: #b1bac4; }"
  print "    .head { fill: #b1bac4; }"
  print "  }"
  print "</style>"
  print "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"5\" markerHeight=\"5\" orient=\"auto\">" \
        "<path class=\"head\" d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>"
  printf "<rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", $2 - 1, $3 - 1
}
$1 == "box" {
  printf "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" stroke-width=\"1.5\"/>\n", $6, $2, $3, $4, $5
  count = split(rest(7), part, / *\| */)
  top = $3 + ($5 - 18 * count) / 2 + 14
  for (i = 1; i <= count; i++) say($2 + $4 / 2, top + 18 * (i - 1), i == 1 ? "title" : "line", part[i])
}
$1 == "arrow" {
  printf "<path class=\"arrow\" d=\"M%d %d L%d %d\" marker-end=\"url(#head)\"/>\n", $2, $3, $4, $5
}
$1 == "note" { say($2, $3, "line", rest(4)) }
END { print "</svg>" }
