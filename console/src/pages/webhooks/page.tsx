import { useState } from 'preact/hooks'
import type { Webhook } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Page as Frame } from '../../parts/page.tsx'
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

const hrefOf = ({ id }: Webhook) => to(`/webhooks/${id}`)

/** Webhooks: the user's own; for superusers those of all users. */
export const Page = () => (session.value?.role === 'superuser' ? <AllWebhooks /> : <OwnWebhooks />)

function AllWebhooks() {
  const webhooks = useList<Webhook>('webhooks', { expand: 'user' })
  const isFailing = useFailing()
  return (
    <Frame title={t('Webhooks')} text={t('The webhooks of all users.')}>
      <Records
        list={webhooks}
        caption={t('Webhooks of all users')}
        columns={[ADDRESS, OWNER, EVENTS, stateColumn(isFailing), CREATED]}
        href={hrefOf}
        empty={
          <Empty icon="webhooks" title={t('No webhooks yet')}>
            {t('Users make them, for their programs that want to hear what becomes of messages.')}
          </Empty>
        }
      />
    </Frame>
  )
}

function OwnWebhooks() {
  const webhooks = useList<Webhook>('webhooks')
  const isFailing = useFailing()
  const [isMaking, setMaking] = useState(false)
  const make = (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      {t('New webhook')}
    </Button>
  )
  return (
    <Frame
      title={t('Webhooks')}
      text={t('They tell your programs about sent, delivered, failed and received messages.')}
      actions={webhooks.total > 0 && make}
    >
      <Records
        list={webhooks}
        caption={t('Webhooks')}
        columns={[ADDRESS, EVENTS, stateColumn(isFailing), CREATED]}
        href={hrefOf}
        empty={
          <Empty icon="webhooks" title={t('No webhooks yet')} action={make}>
            {t(
              'Give the address of a program that takes POST requests. Each is signed, and tried again for three days.',
            )}
          </Empty>
        }
      />
      {isMaking && <NewWebhook onClose={() => setMaking(false)} />}
    </Frame>
  )
}
