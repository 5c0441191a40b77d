import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'

/** The responses of a route by their status. */
export type Answers = Record<`${2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject>

/** Adds a second schema to the 400 among these responses. `examples`: of that schema, by their names. */
export function addSchemaTo400(
  answers: Answers,
  schema: z.ZodType,
  examples: Readonly<Record<string, { readonly value: unknown }>>,
): Answers {
  const { content, ...rest } = answers['400']!
  const known = content!['application/json']!
  const both = {
    schema: z.union([known.schema as z.ZodType, schema]),
    examples: { ...known.examples, ...examples },
  }
  return { ...answers, 400: { ...rest, content: { 'application/json': both } } }
}
