import { t, tx } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { NO_AUTOFILL, type SettingsPart } from '../../parts/rows/settings-card.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { Time } from '../../parts/time.tsx'

const OTHER = 'other'
const CHOICES = [
  ['', t('Never')],
  ['0 */6 * * *', t('Every 6 hours')],
  ['0 3 * * *', t('Every day at 3:00 UTC')],
  ['0 3 * * 0', t('Every Sunday at 3:00 UTC')],
  ['0 3 L * *', t('On the last day of each month at 3:00 UTC')],
  [OTHER, t('Something else…')],
] as const

export const makeSchedulePart = (cron: string, next: string): SettingsPart => ({
  key: 'backups.schedule',
  title: t('Schedule'),
  action: t('Save schedule'),
  saved: t('Schedule saved'),
  rows: [
    [
      {
        name: 'choice',
        label: t('Automatic backups'),
        choices: CHOICES,
        kind: 'select',
        hint: next && tx('The next one is made {when}.', { when: <Time at={next} /> }),
        read: () => (CHOICES.some(([known]) => known === cron) ? cron : OTHER),
        write: () => undefined,
      },
      {
        name: 'backups.cronMaxKeep',
        label: t('Number of automatic backups'),
        kind: 'number',
        min: 1,
        hint: t('Older automatic backups are deleted. Backups that you made yourself stay.'),
      },
    ],
    {
      name: 'backups.cron',
      label: t('Cron expression'),
      ...NO_AUTOFILL,
      hint: t(
        'Minute, hour, day, month, day of the week, in UTC: 30 1 * * 1-5 is 1:30 on working days, 30 1 L * * on the last day of each month.',
      ),
      shown: ({ choice }) => choice === OTHER,
      write: (typed, { choice }) => (choice === OTHER ? String(typed).trim() : choice),
    },
  ],
})

const isStoredElsewhere = (values: Values) => values['backups.s3.enabled'] === true
const IN_S3 = { shown: isStoredElsewhere, ...NO_AUTOFILL }

/** Where backups are kept: on the server's disk, or in an S3-compatible store. */
export const STORAGE: SettingsPart = {
  key: 'backups.storage',
  title: t('Storage'),
  action: t('Save storage'),
  saved: t('Storage saved'),
  rows: [
    {
      name: 'backups.s3.enabled',
      label: t('Keep backups in an S3-compatible store'),
      kind: 'check',
    },
    ({ values }) =>
      !isStoredElsewhere(values) && (
        <Notice>
          {t(
            'Backups are on the same disk as the server. If that disk fails, they are lost too: download some, or use a store elsewhere.',
          )}
        </Notice>
      ),
    [
      {
        name: 'backups.s3.endpoint',
        label: t('Endpoint'),
        ...IN_S3,
        hint: t('Such as https://s3.eu-central-1.amazonaws.com'),
      },
      { name: 'backups.s3.bucket', label: t('Bucket'), ...IN_S3 },
    ],
    [
      { name: 'backups.s3.region', label: t('Region'), ...IN_S3 },
      { name: 'backups.s3.accessKey', label: t('Access key'), ...IN_S3 },
    ],
    {
      name: 'backups.s3.secret',
      label: t('Secret'),
      kind: 'password',
      ...IN_S3,
      autocomplete: 'new-password',
      hint: t('Empty: the stored value stays.'),
    },
    {
      name: 'backups.s3.forcePathStyle',
      kind: 'check',
      shown: isStoredElsewhere,
      label: t(
        'The bucket is a part of the path, not of the host name (MinIO, most stores of one’s own)',
      ),
    },
  ],
}
