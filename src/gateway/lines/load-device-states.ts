import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import type { Config } from '../../platform/config.ts'
import { toObjects } from '../../platform/db/execute-statement.ts'
import { writeOnlineSince } from '../base/device-record.ts'
import { CARRIER_STATE } from './carrier-schemas.ts'
import { CONNECTIONS } from './phone-health.ts'

type DeviceStates = Readonly<z.output<typeof DEVICE_STATES>>
export const DEVICE_STATES = z
  .object({
    items: z.array(
      z.object({
        device: z.string(),
        online: z.boolean().describe('Seen within DEVICE_ONLINE_SECONDS.'),
        reachable: z
          .boolean()
          .describe(
            'Online, or can be woken by push. A device must also be enabled to be given messages.',
          ),
        battery: z
          .number()
          .nullable()
          .describe('Percent, as the device last said; null: it never did.'),
        battery_at: INSTANT.nullable().describe('When it said that, and the next two.'),
        charging: z.boolean().nullable(),
        connection: z.enum(CONNECTIONS).nullable().describe('How it reaches the internet.'),
        android: z.int().nullable().describe('The API level of its Android; null: unknown.'),
        failing: z
          .boolean()
          .describe('Its last 5 texts or more have failed, by each of its lines that are on.'),
        stuck: z
          .boolean()
          .describe(
            'It has claimed messages more than a minute ago, and sent none in the last minute.',
          ),
        waiting: z.int().min(0).describe('Messages that wait for it, or that it is sending.'),
        carrier: z
          .object({
            preset: z.string(),
            ...CARRIER_STATE,
          })
          .nullable()
          .describe('The account of a carrier that the servers run; null: another device.'),
        taken_today: z
          .int()
          .min(0)
          .describe('Messages that it claimed in the last 24 hours; they count in `daily_limit`.'),
        lines: z
          .array(
            z.object({
              line: z.string(),
              minute: z.int().min(0).describe('Texts handed out in the last 60 seconds.'),
              day: z.int().min(0).describe('Texts of this local day.'),
              month: z.int().min(0).describe('Texts of this calendar month.'),
              recipients: z.int().min(0).describe('Different numbers of this month.'),
              cost: z
                .string()
                .nullable()
                .describe(
                  'What the texts of this month cost, a decimal; null for a line without prices.',
                ),
              stopped: z
                .boolean()
                .describe('Whether the budget of this month was too small for a text.'),
              waiting: z.int().min(0).describe('Messages that wait for it, or that it is sending.'),
            }),
          )
          .describe(
            'Use of the limits and budgets of its lines. Days and months are counted only for lines with a limit of a day or month, or with prices.',
          ),
      }),
    ),
  })
  .meta({ id: 'DeviceStates' })

/** Events among which those of a device are searched: more of them in a minute, and it may count as stuck. */
const MAX_EVENTS = 1_000

const writeStatesSql = (whose: string) => `
select d.id as device, d.last_seen >= ${writeOnlineSince('$1')} as online,
  d.last_seen >= ${writeOnlineSince('$1')} or pb_is_set(d.push) as reachable,
  b.percent as battery, pb_text(b.at) as battery_at, b.charging, b.connection, b.android,
  coalesce((select bool_and(l.failing_since <> '') from lines l
    where l.device = d.id and l.enabled and l.present), false) as failing,
  exists (select from sms_dispatch q where q.device = d.id and q."user" = d."user" and q.state = 'sending'
      and q.lease_until < now() + ($2::float8 - 60) * interval '1 second')
    and not exists (
      select from (
        select e.device, e.status, e.created from sms_events e where e."user" = d."user"
        order by e._rowid desc nulls last limit ${MAX_EVENTS}
      ) e where e.device = d.id and e.status <> 'sending' and e.created > pb_text(now() - interval '1 minute')
    ) as stuck,
  (select count(*) from sms_dispatch q where q.device = d.id and q."user" = d."user" and q.state <> 'pending') as waiting,
  coalesce((select sum(h.messages) from device_handouts h where h.device = d.id and h.at > now() - interval '1 day'), 0)
    as taken_today,
  (select json_build_object('preset', c.account::json ->> 'preset', 'fault', c.fault, 'ready', c.ready,
      'running', coalesce(c.leased_until > now(), false))
    from device_carriers c where c.device = d.id and c."user" = d."user") as carrier,
  (select coalesce(json_agg(json_build_object('line', l.id,
      'minute', (select coalesce(sum(h.messages), 0) from device_handouts h
        where h.device = d.id and h.line = l.id and h.at > now() - interval '1 minute'),
      'day', case when u.day >= sms_local_day(l."user", now()) then u.day_texts else 0 end,
      'month', case when u.month >= left(sms_local_day(l."user", now()), 7) then u.month_texts else 0 end,
      'recipients', case when u.month >= left(sms_local_day(l."user", now()), 7) then u.recipients else 0 end,
      'cost', case when pb_is_set(l.prices) then coalesce(c.cost, 0)::text end, 'stopped', c.stopped_at is not null,
      'waiting', (select count(*) from sms_dispatch q
        where q.device = d.id and q."user" = d."user" and q.line = l.id and q.state <> 'pending')
    ) order by l.slot), '[]')
    from lines l left join line_use u on u.line = l.id
    left join line_costs c on c.line = l.id and c.month = left(sms_local_day(l."user", now()), 7)
    where l.device = d.id) as lines
from devices d left join device_batteries b on b.device = d.id ${whose} order by d.id`

/** The state of each device of a user, or of all users (`null`), ordered by id. */
export async function loadDeviceStates(
  store: Store,
  user: string | null,
  { deviceOnlineSeconds, leaseSeconds }: Pick<Config, 'deviceOnlineSeconds' | 'leaseSeconds'>,
) {
  const seconds = [deviceOnlineSeconds, leaseSeconds]
  const found =
    user === null
      ? await store.db.shaped(writeStatesSql(''), seconds)
      : await store.db.shaped(
          writeStatesSql('where d."user" = $3'),
          [...seconds, user],
          'sms device states',
        )
  const states = toObjects<
    DeviceStates['items'][number] & { lines: string; carrier: string | null }
  >(found)
  return {
    items: states.map((state) => ({
      ...state,
      lines: JSON.parse(state.lines),
      carrier: state.carrier && JSON.parse(state.carrier),
    })),
  }
}
