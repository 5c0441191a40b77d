import { FEATURES } from '../../src/main/features.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'

/** Each row of the server. An earlier one answers first. */
export const ROWS = [...FEATURES, ...PROTOCOLS].flatMap(({ rows = [] }) => rows)

/** Method and path of a row, with these values of its parameters; other parameters name nothing. */
export function fillPath(at: string, values: Readonly<Record<string, string>>) {
  const [verb, path] = at.split(' ') as [string, string]
  const filled = path
    .replace(/:probe\{[^}]*\}/, 'live')
    .replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => values[name] ?? 'nosuchrecord123')
    .replace('*', 'nothing')
  return { method: verb === 'ALL' ? 'PUT' : verb, path: filled }
}
