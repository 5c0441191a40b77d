/** A calendar month as dates begin with it: `2026-12`. Months compare as texts do. */
export type Month = string

/** The month `count` months after another one. */
export function monthAfter(month: Month, count = 1): Month {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const at = year * 12 + number - 1 + count
  return `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`
}

/** The least value of `created` in a month. */
export const startOf = (month: Month): string => `${month}-01`

/** The partition of all that was there before the table got partitions. */
export const pastOf = (table: string): string => `${table}_past`
/** The default partition: rows of months that have no partition. */
export const otherOf = (table: string): string => `${table}_other`
export const partitionOf = (table: string, month: Month): string => `${table}_${month.replace('-', '_')}`
/** What stays of a month whose other rows were detached. */
export const keptOf = (table: string, month: Month): string => `${partitionOf(table, month)}_kept`
/** A detached month, until all that depends on its rows is cleaned up. */
export const goneOf = (table: string, month: Month): string => `${partitionOf(table, month)}_gone`

/** The constraint, while a table is converted, that all its rows lie before the partitions to come. */
export const convertingCheckOf = (table: string): string => `${pastOf(table)}_check`

const SUFFIX = /_(past|other|\d{4}_\d{2}(_kept)?)$/
const LONGEST_NAME = 63

/** What the name of a partition or of one of its indexes ends with: `_2026_12`; empty if there is nothing. */
export const suffixOf = (name: string): string => SUFFIX.exec(name)?.[0] ?? ''

/** The name of the index of a partition, as the partitioned or plain table has it. */
export const withoutSuffix = (name: string): string => name.replace(SUFFIX, '')

/** The name of an index of `table` for the partition whose name ends with `suffix`. */
export const indexOfPartition = (index: string, suffix: string): string =>
  `${withoutSuffix(index).slice(0, LONGEST_NAME - suffix.length)}${suffix}`
