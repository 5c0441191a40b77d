import { useState } from 'preact/hooks'
import type { Webhook } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhook-events.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Owner } from '../../parts/owner.tsx'
import { WebhookForm } from '../../parts/rows/webhook-rows.tsx'
import { Time } from '../../parts/time.tsx'
import { WebhookState } from '../../parts/webhook-state.tsx'
import { goToPage, makePageHref } from '../../router.ts'

const ADDRESS: Column<Webhook> = { title: t('Address'), long: true, cell: (webhook) => webhook.url }
const OWNER: Column<Webhook> = { title: t('User'), cell: (record) => <Owner record={record} /> }
const EVENTS: Column<Webhook> = {
  title: t('Events'),
  cell: ({ events }) => (
    <span class="breaks">{events.map((event) => EVENT_WORDS[event]).join(', ')}</span>
  ),
}
const CREATED: Column<Webhook> = {
  title: t('Created'),
  minor: true,
  cell: (webhook) => <Time at={webhook.created} />,
}

const STATE: Column<Webhook> = {
  title: t('State'),
  cell: (webhook) => <WebhookState webhook={webhook} />,
}

export function Page() {
  const isAll = !isUser()
  const list = useList<Webhook>('webhooks', { expand: isAll ? 'user' : '' })
  const shared = { title: t('Outgoing webhooks'), list, icon: 'webhooks', href: makeHref } as const
  return isAll ? (
    <ListPage
      {...shared}
      text={t('The outgoing webhooks of all users.')}
      caption={t('Outgoing webhooks of all users')}
      columns={[ADDRESS, OWNER, EVENTS, STATE, CREATED]}
      none={[
        t('No outgoing webhooks yet'),
        t('Users create webhooks for programs that follow their messages.'),
      ]}
    />
  ) : (
    <ListPage
      {...shared}
      text={t(
        'Outgoing webhooks tell your programs about sent, delivered, failed and received messages.',
      )}
      columns={[ADDRESS, EVENTS, STATE, CREATED]}
      none={[
        t('No outgoing webhooks yet'),
        t(
          'Give the address of a program that takes POST requests. Each is signed, and tried again for three days.',
        ),
      ]}
      add={t('New outgoing webhook')}
      dialog={(_, close) => <NewWebhook onClose={close} />}
    />
  )
}

const makeHref = ({ id }: Webhook) => makePageHref(`/webhooks/${id}`)

function NewWebhook({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Webhook & { secret?: string }>()
  if (made?.secret)
    return (
      <ShownOnce
        title={t('The secret of the webhook')}
        secret={made.secret}
        onClose={() => goToPage(`/webhooks/${made.id}`)}
      >
        <p>
          {tx(
            'Your program checks with it that a request comes from here: the header {header}, as Standard Webhooks has it.',
            {
              header: <code>webhook-signature</code>,
            },
          )}
        </p>
      </ShownOnce>
    )
  return (
    <Dialog title={t('New outgoing webhook')} onClose={onClose}>
      <WebhookForm
        blank={{ events: ['message.received', 'message.failed'] }}
        prepare={() => ({ enabled: true })}
        action={t('Create the webhook')}
        onSaved={(hook) =>
          hook.format === 'template' ? goToPage(`/webhooks/${hook.id}`) : setMade(hook)
        }
        onCancel={onClose}
      />
    </Dialog>
  )
}
