import { ClientResponseError } from 'pocketbase'
import { pb } from '../client.ts'

/**
 * Opens the export of all records that a query finds. Throws a ClientResponseError if the server refuses, or
 * the error of `fetch` if `ended` is aborted or the connection breaks.
 */
export async function openExport(
  path: string,
  query: Readonly<Record<string, string>>,
  ended?: AbortSignal,
): Promise<Response> {
  const url = pb.buildURL(`${path}?${new URLSearchParams(query)}`)
  const response = await fetch(url, {
    headers: { authorization: pb.authStore.token },
    ...(ended && { signal: ended }),
  })
  if (response.ok && response.body) return response
  const answer = await response.json().catch(() => ({}))
  throw new ClientResponseError({ url, status: response.status, response: answer })
}
