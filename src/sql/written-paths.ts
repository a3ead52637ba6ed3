// Paths that a query may write to, so that none inside the data directory is written by mistake.

/** Words of statements that write files: COPY, EXPORT DATABASE, ATTACH, INSTALL, and settings such as profiling_output. */
const writing = /\b(?:copy|export|attach|install|set|pragma)\b/i
/** Comments, and text in quotes: 'a''b', "a""b", $$a$$ and $tag$a$tag$. */
const quoted = /--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[a-z_]*\$).*?\1/gis

/** Every text in quotes of a query that may write files; none of one that only reads. A path made by an expression is not seen. */
export function writtenPaths(query: string): string[] {
  if (!writing.test(query.replace(quoted, ' '))) return []
  return [...query.matchAll(quoted)].map(([text]) => unquote(text)).filter((text) => text !== '')
}

function unquote(text: string): string {
  const [first] = text
  if (first === "'" || first === '"') return text.slice(1, -1).replaceAll(first + first, first)
  const tag = /^\$[a-z_]*\$/i.exec(text)?.[0].length
  return tag === undefined ? '' : text.slice(tag, -tag)
}
