import { splitTokens } from '../../platform/tools/tokenize.ts'

export interface IndexColumn {
  readonly name: string
  readonly collate: string
  readonly sort: '' | 'ASC' | 'DESC'
}

export interface IndexExpression {
  readonly schema: string
  readonly name: string
  readonly table: string
  readonly columns: readonly IndexColumn[]
  readonly where: string
  readonly unique: boolean
  readonly optional: boolean
}

const INDEX =
  /create\s+(unique\s+)?\s*index\s*(if\s+not\s+exists\s+)?(\S*)\s+on\s+(\S*)\s*\(([\s\S]*?)\)(?:\s+where\s+([\s\S]*?))?\s*$/i

const COLUMN = /^([\s\S]+?)(?:\s+collate\s+(\w+))?(?:\s+(asc|desc))?\s*$/i

const trimQuotes = (text: string) => text.replace(/^[`"'[\]\s]+|[`"'[\]\s]+$/g, '')

function readColumn(text: string): IndexColumn[] {
  const [, name = '', collate = '', sort = ''] = COLUMN.exec(text) ?? []
  if (trimQuotes(name) === '') return []
  return [{ name: trimQuotes(name), collate, sort: sort.toUpperCase() as IndexColumn['sort'] }]
}

/** Parses SQLite's `CREATE INDEX`. All parts are empty for other SQL. PocketBase: tools/dbutils/index.go */
export function parseIndex(sql: string): IndexExpression {
  const [, unique, optional, name = '', table = '', columns = '', where = ''] =
    INDEX.exec(sql) ?? []
  const names = (splitTokens(name, '.') ?? []).map(trimQuotes)
  const listed = splitTokens(columns, ',') ?? []
  const read = listed.flatMap(readColumn)
  return {
    schema: names.length === 2 ? names[0]! : '',
    name: names.length <= 2 ? (names.at(-1) ?? '') : '',
    table: trimQuotes(table),
    columns: read.length === listed.length ? read : [],
    where: where.trim(),
    unique: unique !== undefined,
    optional: optional !== undefined,
  }
}

export const isValidIndex = (index: IndexExpression) =>
  index.name !== '' && index.table !== '' && index.columns.length > 0

function writeIndexColumn({ name, collate, sort }: IndexColumn): string {
  const quoted = /[( ]/.test(name) ? name : `\`${name}\``
  return quoted + (collate && ` COLLATE ${collate}`) + (sort && ` ${sort}`)
}

/** `CREATE INDEX` as PocketBase writes it, or '' for an invalid index. PocketBase: tools/dbutils/index.go */
export function writeIndex(index: IndexExpression): string {
  if (!isValidIndex(index)) return ''
  const columns = index.columns.map(writeIndexColumn)
  return [
    `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${index.optional ? 'IF NOT EXISTS ' : ''}`,
    index.schema && `\`${index.schema}\`.`,
    `\`${index.name}\` ON \`${index.table}\` (`,
    columns.length > 1 ? `\n  ${columns.join(',\n  ')}\n` : columns[0],
    `)`,
    index.where && ` WHERE ${index.where}`,
  ].join('')
}

/** The first unique index on exactly this column, if any. */
export function findUniqueIndex(
  indexes: readonly string[],
  column: string,
): IndexExpression | undefined {
  return indexes
    .map(parseIndex)
    .find(
      ({ unique, columns }) =>
        unique && columns.length === 1 && columns[0]!.name.toLowerCase() === column.toLowerCase(),
    )
}
