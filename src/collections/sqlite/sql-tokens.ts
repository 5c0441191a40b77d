/**
 * What a piece of SQL is: text in single quotes, a name in any other quotes, a bare word, a number, a mark, a
 * blank or comment.
 */
export interface SqlToken {
  readonly kind: 'text' | 'name' | 'word' | 'number' | 'mark' | 'blank'
  readonly text: string
}

const TOKEN =
  /(?<text>'(?:[^']|'')*')|(?<name>`[^`]*`|"(?:[^"]|"")*"|\[[^\]]*\])|(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?<word>[A-Za-z_]\w*)|(?<mark>->>|->|==|!=|<>|<=|>=|\|\||::|[\s\S])/g

/** SQL cut into pieces; joined again they are the same text. */
export function sqlTokens(sql: string): SqlToken[] {
  return [...sql.matchAll(TOKEN)].map((match) => {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    return { kind: kind as SqlToken['kind'], text: match[0] }
  })
}

/** The name that stands in quotes. */
export const unquoted = (name: string) => name.slice(1, -1).replaceAll('""', '"')

/** A text as SQL. */
export const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`
