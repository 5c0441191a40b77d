import { z } from 'zod'
import { makeRoutes } from '../../http/make-routes.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { readQueryAndForm } from '../read-parameters.ts'
import { ALLOW_KEY_PARAMETER, type DoorCall, defineSendRoute } from '../send-only-protocol.ts'
import type { Recipients } from './find-recipients.ts'
import { sendToNamed } from './send-to-named.ts'

/** SMSEagle's APIv1: a method (the end of the path), its parameter for the recipients, and their kind. */
const METHODS: Readonly<Record<string, readonly [parameter: string, kind: keyof Recipients]>> = {
  send_sms: ['to', 'to'],
  send_togroup: ['groupname', 'groups'],
  send_tocontact: ['contactname', 'contacts'],
}

/** Parameters of APIv1 that would change the text, or delay or prevent the send. They are refused. */
export const NOT_OFFERED = ['date', 'send_after', 'send_before', 'test', 'attachments']

/** Whether a parameter is given and not switched off. JSON-RPC has switches as booleans, too. */
const isSwitchedOn = (value: unknown) => Boolean(value) && value !== '0' && value !== 'false'

/** Throws 400 if a call has one of these parameters, unless it is empty or off. */
export function refuseOtherParameters(
  given: Readonly<Record<string, unknown>>,
  others: readonly string[],
): void {
  const other = others.find((name) => isSwitchedOn(given[name]))
  if (other) throw invalidRequest(`${other} is not supported here`)
}

export async function sendOverV1(
  call: DoorCall,
  method: string,
  given: Readonly<Record<string, string>>,
) {
  const { access_token: token, login = '', pass = '', message: body, highpriority } = given
  const by = token === undefined ? { key: pass, name: login } : { key: token }
  const read = () => {
    refuseOtherParameters(given, NOT_OFFERED)
    if (!Object.hasOwn(METHODS, method)) throw invalidRequest('This method is not offered here')
    const [parameter, kind] = METHODS[method]!
    return {
      named: { [kind]: given[parameter] ?? '' },
      body,
      priority: isSwitchedOn(highpriority) ? 1 : 0,
    }
  }
  const sent = await sendToNamed(call, read, by)
  return sent.map(({ id }) => id)
}

const PARAMETERS = ['access_token', 'login', 'pass', 'message', 'highpriority']

const defineV1Route = (method: string, from: 'query' | 'form') =>
  defineSendRoute(
    ALLOW_KEY_PARAMETER,
    {
      summary: 'Send a text (APIv1)',
      [from]: [...PARAMETERS, METHODS[method]![0]],
      answer: [200, '`OK; ID=…`', z.string()],
      error: z.string(),
      isText: true,
    },
    async (call) => {
      const ids = await sendOverV1(call, method, await readQueryAndForm(call.c))
      return call.c.text(`OK; ID=${ids.join(',')}`)
    },
  )

export const V1_ROUTES = makeRoutes('smseagle', {
  'GET /http_api/send_sms': defineV1Route('send_sms', 'query'),
  'POST /http_api/send_sms': defineV1Route('send_sms', 'form'),
  'GET /http_api/send_togroup': defineV1Route('send_togroup', 'query'),
  'POST /http_api/send_togroup': defineV1Route('send_togroup', 'form'),
  'GET /http_api/send_tocontact': defineV1Route('send_tocontact', 'query'),
  'POST /http_api/send_tocontact': defineV1Route('send_tocontact', 'form'),
})
