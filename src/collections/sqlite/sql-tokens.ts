/** A token of SQL: a quoted text or name, a word, a number, a mark, a blank or comment. */
export interface SqlToken {
  readonly kind: 'text' | 'name' | 'word' | 'number' | 'mark' | 'blank'
  readonly text: string
}

const TOKEN =
  /(?<text>'(?:[^']|'')*')|(?<name>`[^`]*`|"(?:[^"]|"")*"|\[[^\]]*\])|(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?<word>[A-Za-z_]\w*)|(?<mark>->>|->|==|!=|<>|<=|>=|\|\||::|[\s\S])/g

/** Splits SQL into tokens; joined they are the same text. */
export function sqlTokens(sql: string): SqlToken[] {
  return [...sql.matchAll(TOKEN)].map((match) => {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    return { kind: kind as SqlToken['kind'], text: match[0] }
  })
}

export const unquoted = (name: string) => name.slice(1, -1).replaceAll('""', '"')

/** Quotes a text for SQL. */
export const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`
