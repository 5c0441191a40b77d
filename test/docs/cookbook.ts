import { readPage } from './page.ts'

/** A row of the filter cookbook. */
export interface Recipe {
  readonly question: string
  readonly collection: string
  readonly filter: string
  readonly sort: string
  readonly expand: string
}

/**
 * The recipes of docs/filters.md: the rows of its tables that have a question. "On `name`." or the first
 * column names the collection.
 */
export function readRecipes(): Recipe[] {
  const recipes: Recipe[] = []
  let collection = ''
  let columns: string[] = []
  for (const line of readPage('docs/filters.md').split('\n')) {
    collection = /^On `(\w+)`\.$/.exec(line)?.[1] ?? collection
    if (!line.startsWith('|')) columns = []
    else if (columns.length === 0) columns = cellsOf(line)
    else if (columns.includes('question') && !/^\|-/.test(line)) {
      const cells = cellsOf(line)
      const cell = (name: string) => (cells[columns.indexOf(name)] ?? '').replace(/^`(.*)`$/, '$1')
      const { question, filter, sort, expand } = Object.fromEntries(
        ['question', 'filter', 'sort', 'expand'].map((name) => [name, cell(name)]),
      ) as Record<string, string>
      recipes.push({
        question: question!,
        collection: cell('on') || collection,
        filter: filter!,
        sort: sort!,
        expand: expand!,
      })
    }
  }
  return recipes
}

/** `\|` is how a table writes `|`. */
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
