import { z } from 'zod'
import type { ErrorForm } from '../../http/context.ts'
import { queryOf } from '../../http/query.ts'
import { clientIp } from '../../http/server/client-ip.ts'
import { E164 } from '../../portable/phone.ts'
import { invalid } from '../../sms/send/shape.ts'
import { type DoorCall, type DoorRoute, doorProtocol, numbersIn, sendByKey } from '../door.ts'

const MINUTE_MS = 60_000

function wholeIn(given: Readonly<Record<string, string>>, name: string): number | undefined {
  if (!given[name]) return undefined
  if (/^\d{1,9}$/.test(given[name])) return Number(given[name])
  throw invalid(`${name[0]!.toUpperCase()}${name.slice(1)} field misformed, rejected`)
}

/** Sends as Kannel does (gw/smsbox.c, smsbox_req_sendsms). Ignores the choice of a carrier or encoding. */
async function sendsms({ c, services }: DoorCall): Promise<Response> {
  const given = queryOf(c)
  const { username = given.user ?? '', password = given.pass ?? '', to, text, from = '' } = given
  const ip = clientIp(c, services)
  await sendByKey(services, { key: password, name: username, ip }, () => {
    if (to === undefined) throw invalid('Missing receiver number, rejected')
    // a header (udh) or 8-bit coding makes it data for the phone, not a text to read
    if (given.udh || given.coding === '1') throw invalid('Only texts are sent here, rejected')
    const [minutes, validity] = [wholeIn(given, 'deferred'), wholeIn(given, 'validity')]
    return {
      recipients: numbersIn(to, /[\s,]/),
      body: text,
      from: E164.test(from) ? from : undefined,
      priority: wholeIn(given, 'priority'),
      scheduled_at: minutes ? new Date(Date.now() + minutes * MINUTE_MS).toISOString() : undefined,
      ttl: validity ? validity * 60 : undefined,
    }
  })
  return c.text('0: Accepted for delivery', 202)
}

const ROUTE: DoorRoute = {
  at: 'GET /cgi-bin/sendsms',
  summary: 'Send a text',
  query: ['username', 'password', 'to', 'text', 'from', 'priority', 'deferred', 'validity'],
  answer: [202, 'Accepted.', z.string()],
  error: z.string(),
  isText: true,
  work: sendsms,
}

/** Kannel answers neither 401 nor 402. Its 403 says that trying again is of no use. */
const errorForm: ErrorForm = (c, { status, message }) => {
  if (status === 401) return c.text('Authorization failed for sendsms', 403)
  return c.text(message, status === 402 ? 403 : (status as 400))
}

/** What Kannel's smsbox offers to programs that send. */
export const KANNEL = doorProtocol(
  'kannel',
  'Kannel’s interface for programs that send texts.',
  ['/cgi-bin'],
  [ROUTE],
  errorForm,
)
