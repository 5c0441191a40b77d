import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What an answer must be; README.md describes each key. */
export interface Expectation {
  status?: number
  headers?: Record<string, unknown>
  empty?: boolean
  text?: unknown
  body?: unknown
  contains?: Record<string, unknown>
  unordered?: boolean
  claims?: { of: string; header: unknown; payload: unknown }
}

/** A request, or what is done with a realtime connection (`sse`). */
export interface Step {
  readonly as?: string
  readonly method?: string
  readonly path?: string
  readonly body?: unknown
  readonly raw?: string
  readonly multipart?: readonly (readonly [name: string, value: string, file?: string])[]
  readonly headers?: Readonly<Record<string, string>>
  readonly save?: Readonly<Record<string, string>>
  /** A JSON pointer: the request is repeated until the body has a value there. */
  readonly until?: string
  /** Milliseconds to wait before the request. */
  readonly pause?: number
  readonly sse?: string
  readonly open?: boolean
  readonly events?: number
  readonly quiet?: number
  expect?: Expectation
}

export interface Case extends Step {
  readonly id: string
  readonly steps?: Step[]
  readonly cleanup?: readonly Step[]
  readonly tags?: readonly ('artefact' | 'seed' | 'settings')[]
  readonly why?: string
}

interface Identity {
  readonly collection: string
  readonly identity?: string
  readonly password?: string
  readonly id?: string
  readonly impersonate?: string
}

interface Collection {
  readonly id: string
  readonly name: string
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}

export type Row = Record<string, unknown> & { readonly id: string }

export interface Corpus {
  readonly folder: string
  readonly schema: readonly Collection[]
  readonly fixtures: Readonly<Record<string, readonly Row[]>>
  readonly identities: Readonly<Record<string, Identity | null>>
  /** Cases by area, the name of their file. */
  readonly areas: Readonly<Record<string, Case[]>>
}

export function readCorpus(folder: string): Corpus {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const areas: Record<string, Case[]> = {}
  for (const name of readdirSync(join(folder, 'cases')).sort()) {
    const lines = readFileSync(join(folder, 'cases', name), 'utf8').split('\n')
    areas[name.replace(/\.jsonl$/, '')] = lines
      .filter((line) => line.trim())
      .map((line) => JSON.parse(line))
  }
  const [schema, fixtures, identities] = ['schema.json', 'fixtures.json', 'identities.json'].map(
    read,
  )
  return { folder, schema, fixtures, identities, areas }
}

/** What earlier steps of a case saved, for `${name}`. */
export type Variables = Record<string, unknown>

export const stepsOf = (one: Case): Step[] => one.steps ?? [one]

/** JSON, or undefined. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value with the variables of its texts and keys replaced. */
export function replaced(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{([\w:.]+)\}/g, (text, name) =>
      name in variables ? String(variables[name]) : text,
    )
  if (Array.isArray(value)) return value.map((item) => replaced(item, variables))
  if (value === null || typeof value !== 'object') return value
  const pairs = Object.entries(value).map(([key, item]) => [
    replaced(key, variables),
    replaced(item, variables),
  ])
  return Object.fromEntries(pairs)
}
