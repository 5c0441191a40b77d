import { readRawBody } from '../http/body/raw-body.ts'
import type { Ctx } from '../http/request-context.ts'
import { decodeForm, type FormPair, readCharset } from '../platform/tools/charsets.ts'

/** Splits a list at its commas into trimmed, distinct parts that are not empty. */
export const splitAtCommas = (list: string): string[] => {
  const parts = list.split(',').map((part) => part.trim())
  return [...new Set(parts)].filter((part) => part !== '')
}

/** The size of a form, or of a JSON body with a text. */
export const MAX_PARAMETER_BYTES = 64 << 10

/** The query's parameters. In a POST, parameters of the form replace those of the query. */
export async function readQueryAndForm(c: Ctx): Promise<Readonly<Record<string, string>>> {
  if (c.req.method !== 'POST') return readQueryFields(c)
  const form = await readRawBody(c)
  return {
    ...readQueryFields(c),
    ...keepFirstValues(decodeForm(form, readCharset(c.req.header('content-type') ?? ''))),
  }
}

export const readQueryBytes = (c: Ctx) =>
  Buffer.from((c.env.incoming.url ?? '').replace(/^[^?]*\??/, ''), 'latin1')
const readQueryFields = (c: Ctx) => keepFirstValues(decodeForm(readQueryBytes(c)))

/** Keeps the first of repeated parameters. */
const keepFirstValues = (pairs: readonly FormPair[]) => Object.fromEntries(pairs.toReversed())
