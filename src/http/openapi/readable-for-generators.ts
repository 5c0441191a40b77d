type Part = Record<string, unknown>

/** What a schema says about itself, not about its values. */
const ABOUT = new Set(['description', 'default', 'examples', 'deprecated', 'title', 'id'])

/**
 * Changes an OpenAPI document so that generators of clients read it, with the same meaning. oapi-codegen
 * refuses a `type` of several names, which becomes `anyOf`. Generators of Python leave out operations whose
 * content has no schema: it gets one that allows everything.
 */
export function makeReadableForGenerators(document: object): void {
  const left: unknown[] = [document]
  while (left.length > 0) {
    const part = left.pop()
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part)) {
      splitTypes(part as Part)
      addSchemas(part as Part)
    }
    left.push(...Object.values(part))
  }
}

function splitTypes(schema: Part): void {
  const { type, anyOf } = schema
  if (!Array.isArray(type) || anyOf !== undefined) return
  const own = Object.entries(schema).filter(([key]) => key !== 'type' && !ABOUT.has(key))
  for (const key of ['type', ...own.map(([name]) => name)]) delete schema[key]
  schema.anyOf = type.map((one) =>
    one === 'null' ? { type: one } : { type: one, ...Object.fromEntries(own) },
  )
}

/** Gives a schema to the media types of a `content` that have none. */
function addSchemas({ content }: Part): void {
  if (typeof content !== 'object' || content === null) return
  for (const [type, media] of Object.entries(content as Record<string, unknown>))
    if (/^[\w*]+\/[\w.*+-]+/.test(type) && typeof media === 'object' && media !== null)
      (media as Part).schema ??= type.startsWith('text/') ? { type: 'string' } : {}
}
