import { toText } from '../../engine/fields/convert-values.ts'
import type { FormPair } from '../../platform/tools/charsets.ts'
import { parseJson } from '../../platform/tools/json.ts'

/** Form fields that contain JSON: GitHub sends `payload`, Uptime Kuma `data`. */
export const JSON_FIELDS = ['payload', 'data']

/** Parses a body as JSON, else as a form, else as `{text}`. `curl -d` declares plain text as a form. */
export function readHookBody(raw: string, form?: readonly FormPair[]): unknown {
  const text = raw.trim()
  const fields: Record<string, unknown> =
    form && text.includes('=') ? collectFormFields(form) : { text }
  const read = [text, ...JSON_FIELDS.map((name) => toText([fields[name]].flat()[0]))]
  for (const one of read) {
    const json = parseJson(one)
    if (typeof json === 'object' && json !== null) return json
  }
  return fields
}

/** The fields of a form; a list for a field that is repeated. */
function collectFormFields(form: readonly FormPair[]): Record<string, unknown> {
  const lists = Map.groupBy(form, ([name]) => name)
  return Object.fromEntries(
    [...lists].map(([name, [first, ...more]]) => [
      name,
      more.length === 0 ? first![1] : [first!, ...more].map(([, value]) => value),
    ]),
  )
}
