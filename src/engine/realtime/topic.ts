import { isObject, parseJson } from '../../platform/tools/json.ts'
import { toText } from '../fields/convert-values.ts'
import { toSnakeCase } from '../files/stored-name.ts'

export interface Topic {
  /** The name as the client wrote it; also the name of its events. */
  readonly name: string
  /** `name` without options. `contacts`, `contacts/*` and `contacts/RECORD_ID` get changes of records. */
  readonly base: string
  readonly query: Readonly<Record<string, string>>
  /** The header names are in snake_case, as rules use them. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Parses a topic. `options` is JSON, `{"query": {…}, "headers": {…}}`; its invalid parts are left out.
 * PocketBase: tools/subscriptions/client.go, Subscribe
 */
export function readTopic(name: string, options = ''): Topic {
  const { query, headers } = (parseJson(options) ?? {}) as { query?: unknown; headers?: unknown }
  return {
    name,
    base: name.split('?', 1)[0]!,
    query: toTexts(query, (key) => key),
    headers: toTexts(headers, toSnakeCase),
  }
}

/** Estimated memory of a subscription. A compiled filter takes 25 to 40 bytes per character (measured). */
export function estimateTopicBytes({ name, query, headers }: Topic): number {
  const options = Object.keys(query).length + Object.keys(headers).length
  return 1_000 + 2 * name.length + 100 * options + 40 * (query.filter?.length ?? 0)
}

function toTexts(values: unknown, rename: (key: string) => string): Record<string, string> {
  if (!isObject(values)) return {}
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [rename(key), toText(value)]),
  )
}
