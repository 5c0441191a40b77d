import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Webhook } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { discardUnsavedDrafts } from '../../data/use/use-draft.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { useTask } from '../../data/use/use-task.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhook-events.ts'
import { postWebhooks } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { deleteRecord, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button, FaultNotice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { WebhookForm } from '../../parts/rows/webhook-rows.tsx'
import { showToast } from '../../parts/toast.tsx'
import { WebhookState } from '../../parts/webhook-state.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'
import { Deliveries } from './deliveries.tsx'

/**
 * One webhook: settings, secret and deliveries. Superusers see the webhooks of all users, and may switch them
 * off or delete them.
 */
export function Page({ params: { id = '' } }: PageProps) {
  const isOwn = isUser()
  const read = useRecord<Webhook>('webhooks', id, isOwn ? '' : 'user')
  const { record: webhook } = read
  if (!webhook)
    return (
      <Missing
        read={read}
        icon="webhooks"
        title={t('Outgoing webhook')}
        gone={t('There is no such webhook')}
        all={[makePageHref('/webhooks'), t('All outgoing webhooks')]}
      />
    )
  return (
    <Frame
      title={nameAddress(webhook.url)}
      text={<span class="breaks">{webhook.url}</span>}
      back={{ href: makePageHref('/webhooks'), words: t('Outgoing webhooks') }}
      actions={<WebhookState webhook={webhook} />}
    >
      <Deliveries webhook={webhook} />
      {isOwn ? (
        <div class="columns">
          <Settings webhook={webhook} />
          {webhook.format !== 'template' && <Secret webhook={webhook} />}
        </div>
      ) : (
        <Stop webhook={webhook} />
      )}
    </Frame>
  )
}

/** The host of an address, or the address of mails. */
const nameAddress = (url: string) => new URL(url).host || url.replace(/^mailto:/, '')

/** Replaces the secret that signs requests. The console never shows the present secret. */
function Secret({ webhook }: { webhook: Webhook }) {
  const [secret, setSecret] = useState('')
  const rotate = () =>
    runConfirmed(
      {
        title: t('Create a new secret?'),
        text: t(
          'For 24 hours requests are signed with the old one, too: time to change your program.',
        ),
        action: t('Create a new secret'),
        danger: false,
      },
      async () =>
        setSecret((await postWebhooks<{ secret: string }>(`${webhook.id}/rotate`)).secret),
    )
  return (
    <Card title={t('Secret')}>
      <p class="muted">
        {t(
          'The secret signs all requests, as in Standard Webhooks. Whoever knows the secret can pretend to be this server: create a new one when it may have leaked.',
        )}
      </p>
      <div class="row">
        <Button icon="again" onClick={() => void rotate()}>
          {t('Create a new secret')}
        </Button>
      </div>
      {secret && (
        <ShownOnce title={t('The new secret')} secret={secret} onClose={() => setSecret('')} />
      )}
    </Card>
  )
}

const SWITCH = [{ name: 'enabled', label: t('Switched on') }]

const Settings = ({ webhook }: { webhook: Webhook }) => (
  <Card title={t('Settings')}>
    <WebhookForm record={webhook} more={SWITCH} saved={t('Webhook saved')} asks>
      <Button kind="danger" icon="trash" onClick={() => void removeWebhook(webhook)}>
        {t('Delete')}
      </Button>
    </WebhookForm>
  </Card>
)

/**
 * A superuser's actions on a user's webhook: switch it on or off, or delete it. Only the owner changes its
 * address and secret.
 */
function Stop({ webhook }: { webhook: Webhook }) {
  const { enabled, events } = webhook
  const turn = useTask(async () => {
    await pb.collection('webhooks').update(webhook.id, { enabled: !enabled })
    showToast(enabled ? t('Webhook switched off') : t('Webhook switched on'))
  })
  return (
    <Card title={t('Settings')}>
      <Facts
        facts={[
          [t('User'), <Owner record={webhook} />],
          [t('Events'), events.map((event) => EVENT_WORDS[event]).join(', ')],
        ]}
      />
      {!enabled && (
        <p class="muted">{t('It is switched off. Events in the meantime are not sent later.')}</p>
      )}
      <FaultNotice fault={turn.fault} />
      <div class="row">
        <Button task={turn}>{enabled ? t('Switch off') : t('Switch on')}</Button>
        <Button kind="danger" icon="trash" onClick={() => void removeWebhook(webhook)}>
          {t('Delete')}
        </Button>
      </div>
    </Card>
  )
}

const removeWebhook = (webhook: Webhook) =>
  deleteRecord(
    webhook,
    {
      title: t('Delete the webhook?'),
      text: t('{url} gets no more requests, and the log of its deliveries is deleted.', {
        url: webhook.url,
      }),
      action: t('Delete the webhook'),
    },
    t('Webhook deleted'),
    () => {
      discardUnsavedDrafts()
      goToPage('/webhooks')
    },
  )
