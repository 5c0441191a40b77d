import type { Collection } from '../collections/collection.ts'
import type { Report } from './exported-collection.ts'

/** Warns of rules that let guests read users, or let users set fields by which other rules decide. */
export function warnOfRules(collections: readonly Collection[], report: Report): void {
  const rules = collections.flatMap((collection) =>
    Object.entries(collection)
      .filter(([key]) => key.endsWith('Rule'))
      .map(([key, text]) => ({ name: `${collection.name}.${key}`, text: String(text ?? '') })),
  )
  for (const collection of collections) {
    if (collection.type !== 'auth') continue
    for (const name of ['listRule', 'viewRule'] as const) {
      if (collection[name]?.trim() !== '') continue
      report(`WARNING: ${collection.name}.${name} is empty: it lets guests read all its records.`)
    }
    for (const { name, hidden, system } of collection.fields) {
      const readers = rules.filter(({ text }) => reads(text, 'auth', name)).map((rule) => rule.name)
      if (hidden || system || readers.length === 0) continue
      for (const rule of ['createRule', 'updateRule'] as const) {
        const text = collection[rule]
        const isGuarded = text == null || reads(text, 'body', name)
        // no warning if the rule demands a value that the user already has in the field
        if (isGuarded || (reads(text, 'auth', name) && !text.includes('||'))) continue
        report(
          `WARNING: ${collection.name}.${rule} lets users choose their own "${name}", on which these rules decide: ${readers.join(', ')}.`,
        )
      }
    }
  }
}

const reads = (rule: string, part: 'auth' | 'body', field: string) =>
  new RegExp(`@request\\.${part}\\.${field}\\b`).test(rule)
