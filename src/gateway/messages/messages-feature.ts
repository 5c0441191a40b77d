import { strict } from '../../engine/records/collection-extension.ts'
import type { Services } from '../../http/context.ts'
import { gaugesOf } from '../../http/metrics/family.ts'
import { type Depth, type Queue, readQueue } from '../../http/metrics/queue-depth.ts'
import { SENDS } from '../../http/metrics/traffic.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import { SENDING } from '../../http/openapi/operations.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { eventsExtension, messagesExtension, templatesExtension } from './message-extensions.ts'
import { keepTotals } from './message-totals.ts'
import { smsPaths } from './routes.openapi.ts'
import { smsRoutes } from './routes.ts'
import { deleteOldAnswers } from './send/idempotency.ts'
import type { Sending } from './send/sending.ts'
import { sentTextRoutes } from './sent-texts-routes.ts'

interface OwnServices extends Services {
  readonly sending: Sending
}

/** A message's life: send, queue, claim, report. */
export const MESSAGES: Feature<OwnServices> = {
  routes: [
    ['/api/sms', smsRoutes],
    ['/api/sms', sentTextRoutes],
  ],
  api: {
    roots: ['/api/sms'],
    group: 'sms',
    groups: { 'POST /api/sms/send': SENDS, 'POST /api/sms/send-template': SENDS },
    errorForm: gatewayForm,
    isOwn: true,
    takesKeys: true,
    tags: [{ name: SENDING, description: 'For the web app that sends.' }],
  },
  rights: {
    'GET /api/sms/usage': 'act',
    'GET /api/sms/usage/days': 'act',
    'GET /api/sms/usage/lines': 'act',
    'GET /api/sms/batches/:batch_id': 'act',
    'POST /api/sms/send': 'act',
    'POST /api/sms/send-template': 'act',
    'POST /api/sms/preview': 'act',
    'POST /api/sms/batches/:batch_id/reschedule': 'act',
    'POST /api/sms/batches/:batch_id/retry': 'act',
    'POST /api/sms/batches/:batch_id/cancel': 'act',
    'GET /api/sms/messages': 'act',
    'GET /api/sms/messages/:id': 'act',
    'PATCH /api/sms/messages/:id': 'act',
    'POST /api/sms/messages/:id/retry': 'act',
    'POST /api/sms/messages/:id/cancel': 'act',
  },
  paths: ({ schemaOf }) => smsPaths(schemaOf('sms_messages')!),
  extensions: () => ({
    sms_messages: strict(messagesExtension),
    sms_events: strict(eventsExtension),
    sms_templates: templatesExtension,
    senders: strict({ keepsReferences: true }),
  }),
  timed: ({ store }) => [
    { id: 'idempotencyCleanUp', ...HOURLY, run: () => deleteOldAnswers(store) },
    { id: 'messageTotals', ...HOURLY, run: () => keepTotals(store.db) },
  ],
  metrics({ store }) {
    const queue = gaugesOf(() => readQueue(store))
    const depths = (name: keyof Depth) => (states: Queue) =>
      Object.fromEntries(Object.entries(states).map(([state, depth]) => [state, depth[name]]))
    return [
      queue('queue_messages', 'Unfinished messages of all nodes, by state.', depths('messages')),
      queue('queue_due_messages', 'Of these, those whose time has come.', depths('due')),
      queue('queue_oldest_seconds', 'How long the oldest due one waits.', depths('oldestSeconds')),
    ]
  },
}
