import { useEffect } from 'preact/hooks'
import type { CampaignPreview } from '../../data/campaign-preview.ts'
import type { CampaignProgress } from '../../data/campaign-progress.ts'
import type { Campaign } from '../../data/record-types.ts'
import { describeOffset } from '../../data/reminder.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { translateRowReason } from '../../data/words/row-reasons.ts'
import { formatNumber, t } from '../../language/words.ts'
import { NextReminders } from '../../parts/list/next-reminders.tsx'
import { Card, Facts, Reading } from '../../parts/page.tsx'

const REFRESH_MS = 30_000

/** Counts of a reminder, and its next texts. */
export function ReminderCard({
  campaign,
  progress,
}: {
  campaign: Campaign
  progress: CampaignProgress | undefined
}) {
  const { reminder } = campaign
  const { value, fault, reload } = useAnswer<Required<Pick<CampaignPreview, 'reminders'>>>(
    `/api/campaigns/${campaign.id}/reminders`,
    REFRESH_MS,
  )
  // texts that were stored are not the next ones any more
  useEffect(() => {
    if (value) void reload()
  }, [campaign.updated])
  if (!reminder) return null
  const counts = progress?.counts
  return (
    <>
      {counts && (
        <Card title={t('Progress')}>
          <Facts
            class="figures"
            facts={[
              [t('Sent#people'), formatNumber(counts.sent + counts.delivered)],
              [
                t('Waiting#people'),
                formatNumber(counts.pending + counts.assigned + counts.sending),
              ],
              [t('Failed#people'), formatNumber(counts.failed)],
            ]}
          />
          {(progress.left_out ?? []).length > 0 && (
            <Facts
              facts={(progress.left_out ?? []).map(({ reason, count }) => [
                translateRowReason(reason),
                formatNumber(count),
              ])}
            />
          )}
        </Card>
      )}
      <Card title={t('The next texts')}>
        <p class="muted">
          {t('{field}: {when}', { field: reminder.field, when: describeOffset(reminder) })}
          {reminder.filter && ` · ${reminder.filter}`}
        </p>
        {value ? <NextReminders rows={value.reminders} /> : <Reading value={value} fault={fault} />}
      </Card>
    </>
  )
}
