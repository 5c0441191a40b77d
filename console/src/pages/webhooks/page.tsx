import type { Webhook } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { NewWebhook } from './new-webhook.tsx'
import { useFailing } from './use-failing.ts'

const ADDRESS: Column<Webhook> = { title: t('Address'), long: true, cell: (webhook) => webhook.url }
const OWNER: Column<Webhook> = { title: t('User'), cell: (record) => <Owner record={record} /> }
const EVENTS: Column<Webhook> = {
  title: t('Events'),
  cell: ({ events }) => events.map((event) => EVENT_WORDS[event]).join(', '),
}
const CREATED: Column<Webhook> = { title: t('Created'), cell: (webhook) => <Time at={webhook.created} /> }

const stateColumn = (isFailing: (webhook: Webhook) => boolean): Column<Webhook> => ({
  title: t('State'),
  cell: (webhook) => {
    if (!webhook.enabled) return <Badge tone="calm">{t('Off')}</Badge>
    return isFailing(webhook) ? (
      <Badge tone="bad">{t('Failing')}</Badge>
    ) : (
      <Badge tone="good">{t('On')}</Badge>
    )
  },
})

/** Webhooks: the user's own; for superusers those of all users. */
export function Page() {
  const isAll = session.value?.role === 'superuser'
  const list = useList<Webhook>('webhooks', { expand: isAll ? 'user' : '' })
  const state = stateColumn(useFailing())
  const shared = { title: t('Webhooks'), list, icon: 'webhooks', href: hrefOf } as const
  return isAll ? (
    <ListPage
      {...shared}
      text={t('The webhooks of all users.')}
      caption={t('Webhooks of all users')}
      columns={[ADDRESS, OWNER, EVENTS, state, CREATED]}
      none={[
        t('No webhooks yet'),
        t('Users make them, for their programs that want to hear what becomes of messages.'),
      ]}
    />
  ) : (
    <ListPage
      {...shared}
      text={t('They tell your programs about sent, delivered, failed and received messages.')}
      columns={[ADDRESS, EVENTS, state, CREATED]}
      none={[
        t('No webhooks yet'),
        t(
          'Give the address of a program that takes POST requests. Each is signed, and tried again for three days.',
        ),
      ]}
      add={t('New webhook')}
      dialog={(_, close) => <NewWebhook onClose={close} />}
    />
  )
}

const hrefOf = ({ id }: Webhook) => to(`/webhooks/${id}`)
