import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Permission } from '../../http/allow-callers.ts'
import { asCaller } from '../../http/attempt.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import { requirePermit } from '../base/permissions.ts'
import { ACCOUNT_USAGE, loadAccountUsage } from '../base/quota-usage.ts'
import { LINE_COSTS, loadLineCosts } from '../lines/line-costs.ts'
import { allowReader, requireSender } from './require-sender.ts'
import { countMessagesByDay, readDays, USAGE_DAYS } from './usage-days.ts'

/** The user whose statistics the caller may read; null for a superuser, who reads all. */
const byReaderOrSuperuser: Permission<{ readonly user: string | null; readonly store: Store }> = {
  ...allowReader('readUsage'),
  withCaller: (c, services, work) =>
    asCaller(c, services, 'checkedRead', async (attempt) => {
      if (attempt.caller?.isSuperuser) return work({ user: null, store: attempt.store })
      const sender = requireSender(attempt)
      requirePermit(sender, 'readUsage')
      return work(sender)
    }),
}

/** `/api/sms/usage`: statistics of an account. */
export const USAGE_ROUTES = makeRoutes('sending', {
  'GET /api/sms/usage': {
    permission: allowReader('readUsage'),
    bound: 'keys',
    describe: {
      id: 'readUsage',
      summary: 'Read the month so far',
      answer: ['The calendar month, in UTC, and files.', ACCOUNT_USAGE],
      fails: describeRefusals('unauthorized', 'forbidden'),
    },
    run: ({ user, store, services }) => loadAccountUsage(store, user, services.config, new Date()),
  },
  'GET /api/sms/usage/days': {
    permission: byReaderOrSuperuser,
    bound: { cost: 'texts of the period', by: 'turns; 366 days. Reads only one index' },
    describe: {
      id: 'readUsageDays',
      summary: 'Count messages by day and status',
      description:
        'Messages accepted or received on each of the last days up to today, by their present status. A user gets their own, by days of the time zone of the account; a superuser gets those of all users, in UTC.',
      params: {
        query: z.object({
          days: z.coerce.number().int().min(1).max(366).optional().describe('Default 30.'),
        }),
      },
      answer: ['Each day, oldest first.', USAGE_DAYS],
      fails: describeRefusals('invalid_request'),
    },
    run: ({ user, store }, c) =>
      countMessagesByDay(store, user, readDays(c.env.incoming.query.days), new Date()),
  },
  'GET /api/sms/usage/lines': {
    permission: allowReader('listDevices'),
    bound: { cost: 'lines of the user with prices', by: 'one index scan; 12 months' },
    describe: {
      id: 'readLineCosts',
      summary: 'Read what the texts of each line cost by month',
      description:
        'The lines with prices, and the months of the last year in which they sent a text. An API key needs the scope `devices:list`.',
      answer: ['Each month, newest first.', LINE_COSTS],
      fails: describeRefusals('unauthorized', 'forbidden'),
    },
    run: ({ user, store }) => loadLineCosts(store, user),
  },
})
