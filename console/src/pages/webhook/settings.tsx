import type { Webhook } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { WEBHOOK_ROWS } from '../../parts/rows/webhook-rows.tsx'
import { removeWebhook } from './remove.ts'

const ROWS = [...WEBHOOK_ROWS, { name: 'enabled', label: t('Switched on') }]

/** A webhook's address, events and switch, and a button that deletes it. */
export const Settings = ({ webhook }: { webhook: Webhook }) => (
  <Card title={t('Settings')}>
    <RecordForm collection="webhooks" record={webhook} rows={ROWS} saved={t('Webhook saved')} asks>
      <Button kind="quiet" icon="trash" onClick={() => void removeWebhook(webhook)}>
        {t('Delete')}
      </Button>
    </RecordForm>
  </Card>
)
