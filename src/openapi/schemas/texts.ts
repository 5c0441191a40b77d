import type { Collection, Rule } from '../../collections/catalog.ts'
import type { Field } from '../../fields/field.ts'
import texts from './texts.json' with { type: 'json' }

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = texts

/** A field's description: its own help text, if any, then ours. */
export function describeField(collection: Collection, field: Field): string | undefined {
  const text = field.help || TEXTS[collection.name]?.[field.name] || TEXTS['*']![field.name]
  return field.hidden ? [text, 'Only superusers see it.'].filter(Boolean).join(' ') : text
}

/** Who may do what a rule of a collection allows. */
export function describeRule(rule: Rule): string {
  if (rule === null) return 'Only superusers may.'
  return rule === '' ? 'Everyone may.' : `Superusers may, and whoever satisfies the rule \`${rule}\`.`
}

export const recordTag = (collection: Collection) => ({
  name: collection.name,
  description: TEXTS[collection.name]?.[''] ?? `Records of the collection \`${collection.name}\`.`,
})
