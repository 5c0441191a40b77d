import { FilterError } from '../errors.ts'

export type Modifier = '' | 'each' | 'length' | 'lower' | 'isset' | 'changed'

const MODIFIERS = new Set<string>(['each', 'length', 'lower', 'isset', 'changed'])

/** `name:lower` → name and modifier. Throws a FilterError for an unknown one. */
export function splitModifier(name: string): [name: string, modifier: Modifier] {
  const parts = name.split(':')
  if (parts.length !== 2) return [name, '']
  if (!MODIFIERS.has(parts[1]!)) throw new FilterError(`unknown modifier in "${name}"`)
  return [parts[0]!, parts[1] as Modifier]
}
