import { useEffect, useState } from 'preact/hooks'
import { findCarrierWords } from '../../data/carriers/carrier-words.ts'
import {
  type CarrierAccount,
  type CarrierPreset,
  saveCarrierAccount,
} from '../../data/carriers/carriers.ts'
import { isLoopback } from '../../data/loopback.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { FaultNotice, Notice } from '../../parts/form/form.tsx'
import { Card, Facts, Loading } from '../../parts/page.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

interface Props {
  readonly device: string
  readonly account: CarrierAccount
  readonly preset: CarrierPreset
}

/** The address for the carrier's calls, and what to do with it at the carrier. */
export function CallbackCard({ device, account, preset }: Props) {
  const [callback, setCallback] = useState('')
  // only a change tells the address: a check of the stored account changes nothing
  const read = useTask(async () => {
    const made = await saveCarrierAccount(device, { account, check: true })
    setCallback(made.callback)
  })
  useEffect(() => void read.run(), [device])
  const { reports, incoming } = findCarrierWords(preset.name)
  return (
    <Card title={t('Address for the carrier')}>
      <FaultNotice fault={read.fault} />
      {callback === '' && !read.fault && <Loading />}
      {callback !== '' && <CodeBlock code={callback} />}
      {callback !== '' && isLoopback(callback) && (
        <Notice kind="warning">
          {t(
            'Only the server’s own computer reaches this address. Set PUBLIC_URL to the address by which the internet reaches your server.',
          )}
        </Notice>
      )}
      <p class="muted">{t('Keep it secret: who knows it can claim that texts came in.')}</p>
      <Facts
        facts={[
          preset.receipts && [t('Delivery reports'), reports],
          preset.incoming && [t('Incoming texts'), incoming],
        ]}
      />
      {preset.name === 'pocketsms' && (
        <WebhookSecret device={device} account={account} preset={preset} />
      )}
    </Card>
  )
}

/** The secret of the webhook in the other account, which exists only after the address. */
const WebhookSecret = ({ device, account, preset }: Props) => (
  <RowsForm
    draftKey={`carrier.${device}.webhook-secret`}
    rows={[
      {
        name: 'webhook_secret',
        label: preset.webhook_secret,
        kind: 'password',
        autocomplete: 'new-password',
        placeholder: 'whsec_…',
        hint: t('The other account shows the secret when you create the webhook.'),
        error: (typed) => (typed === '' ? t('Fill this in.') : undefined),
      },
    ]}
    stored={{}}
    save={async ({ webhook_secret: secret }) => {
      await saveCarrierAccount(device, { account, webhook_secret: String(secret) })
      return t('Secret saved')
    }}
    action={t('Save the secret')}
  />
)
