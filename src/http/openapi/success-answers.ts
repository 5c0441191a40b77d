import { z } from 'zod'
import type { ZodOpenApiContentObject, ZodOpenApiResponseObject } from 'zod-openapi'
import type { Answers } from './invalid-answers.ts'

export const describeJson = (schema: z.ZodType, example?: unknown): ZodOpenApiContentObject => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

export const describeSuccess = (description: string, schema?: z.ZodType): Answers =>
  schema ? { 200: { description, content: describeJson(schema) } } : { 204: { description } }

/** An answer of a type other than JSON, or of one of several. */
export const describeTextAnswer = (
  types: string | readonly string[],
  description: string,
): Answers => ({
  200: {
    description,
    content: Object.fromEntries([types].flat().map((type) => [type, { schema: z.string() }])),
  },
})

/** An answer of any type: generators of clients leave out answers of the type `*`. */
const describeFile = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
})

export const FILE: Answers = {
  200: describeFile('The file.'),
  206: describeFile('The part of it that was asked for.'),
  304: { description: 'It is as it was.' },
  412: { description: 'A condition of the request does not hold.' },
  416: { description: 'It has no such part.', content: { 'text/plain': { schema: z.string() } } },
}
