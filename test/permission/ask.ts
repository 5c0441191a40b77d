import { basic } from '../support/server/request.ts'
import { type Caller, twilioSid, url, user } from './callers.ts'
import type { Row } from './rows.ts'
import type { Target } from './texts.ts'

// Asks for a route as a caller, with the caller's credentials where the door takes them.

export interface Asked {
  readonly status: number
  readonly text: string
}

function headersFor({ by: door = 'api', headers }: Row, { token = '', key = '' }: Caller) {
  const credential = key || token
  if (credential === '' || door === 'hook') return {}
  if (door === 'key') return headers?.(credential)
  if (door === 'basic') return basic(user, credential)
  if (door === 'twilio') return basic(twilioSid, credential.replace('psk_', 'psk'))
  if (door === 'mcp')
    return { 'x-api-key': credential, accept: 'application/json, text/event-stream' }
  return key ? { 'x-api-key': key } : { authorization: token }
}

/** The path with its parameters filled in. Unknown ones get an id of no record. */
export function pathOf(route: string, values: Readonly<Record<string, string>>): string {
  const path = route.replace(/^\w+ /, '').replace(/ .*$/, '')
  return path.replace(
    /:(\w+)(\{[^}]*\})?/g,
    (_, name: string, pattern = '') =>
      (values[name] ?? 'nosuchrecord123') + (pattern.includes('json') ? '.json' : ''),
  )
}

const isForm = (route: string) => /2010-04-01|\/v2\/Services/.test(route)

export async function ask(
  route: string,
  row: Row,
  caller: Caller,
  target: Target,
  mark: string,
): Promise<Asked> {
  const { by, path, body, query } = row
  const method = route.split(' ')[0]!
  const ids = {
    id: target.campaign && by === 'people' ? target.campaign : target.ids[0]!,
    batch_id: target.batch,
  }
  const values = { ...ids, secret: caller.token ?? caller.key ?? 'none', ...path?.(target) }
  const parameters = new URLSearchParams(query?.(target, mark, caller))
  const isQuery = query && method === 'GET'
  const given = body?.(target, mark, caller)
  const json = JSON.stringify(given)
  const form =
    isForm(route) && given ? new URLSearchParams(given as Record<string, string>) : undefined
  const text =
    form ?? (query ? (isQuery ? undefined : parameters) : typeof given === 'string' ? given : json)
  const type = form || query ? 'application/x-www-form-urlencoded' : 'application/json'
  const response = await fetch(`${url}${pathOf(route, values)}${isQuery ? `?${parameters}` : ''}`, {
    method,
    headers: { ...headersFor(row, caller), ...(method !== 'GET' && { 'content-type': type }) },
    ...(method !== 'GET' && { body: text ?? '{}' }),
  })
  return { status: response.status, text: await readText(response) }
}

async function readText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const { value } = (await response.body!.getReader().read()) as { value?: Uint8Array }
  return new TextDecoder().decode(value)
}

/** Whether a door says in a 200 that it refused. */
export const isRefusedInside = (text: string): boolean =>
  /"isError":true|"result":"FAIL|"error_text"|^FAIL/.test(text)
