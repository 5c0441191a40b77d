import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { makeGaugeFactory } from '../../http/metrics/family.ts'
import { type Depth, loadQueueDepth, type Queue } from '../../http/metrics/queue-depth.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { eventsExtension, messagesExtension, templatesExtension } from './message-extensions.ts'
import { MESSAGE_ROUTES } from './message-routes.ts'
import { keepTotals } from './message-totals.ts'
import { MESSAGE_DATA } from './personal-data.ts'
import type { SendingServices } from './require-sender.ts'
import { deleteOldAnswers } from './send/idempotency.ts'
import { SEND_ROUTES } from './send-routes.ts'
import { SENT_TEXT_ROUTES } from './sent-texts-routes.ts'
import { USAGE_ROUTES } from './usage-routes.ts'

export const MESSAGES: Feature<SendingServices> = {
  rows: [...SENT_TEXT_ROUTES, ...SEND_ROUTES, ...USAGE_ROUTES, ...MESSAGE_ROUTES],
  api: {
    roots: ['/api/sms'],
    group: 'sms',
    groups: { 'POST /api/sms/send': 'send', 'POST /api/sms/send-template': 'send' },
    errorForm: sendGatewayError,
    isOwn: true,
    takesKeys: true,
    tags: [{ name: 'sending', description: 'For the web app that sends.' }],
  },
  personalData: MESSAGE_DATA,
  extensions: () => ({
    sms_messages: makeStrictExtension(messagesExtension),
    sms_events: makeStrictExtension(eventsExtension),
    sms_templates: makeStrictExtension(templatesExtension),
    senders: makeStrictExtension({ keepsReferences: true }),
  }),
  timed: ({ store }) => [
    { id: 'idempotencyCleanUp', ...HOURLY, run: () => deleteOldAnswers(store) },
    { id: 'messageTotals', ...HOURLY, run: () => keepTotals(store.db) },
  ],
  metrics({ store }) {
    const queue = makeGaugeFactory(() => loadQueueDepth(store))
    const depths = (name: keyof Depth) => (states: Queue) =>
      Object.fromEntries(Object.entries(states).map(([state, depth]) => [state, depth[name]]))
    return [
      queue('queue_messages', 'Unfinished messages of all nodes, by state.', depths('messages')),
      queue('queue_due_messages', 'Of these, those whose time has come.', depths('due')),
      queue('queue_oldest_seconds', 'How long the oldest due one waits.', depths('oldestSeconds')),
    ]
  },
}
