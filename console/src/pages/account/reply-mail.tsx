import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { Loading } from '../../parts/wait.tsx'

const ROWS: readonly FormRow[] = [
  {
    ...{ name: 'reply_mail_minutes', kind: 'number', min: 0 },
    label: t('Mail me about texts without an answer after (minutes)'),
    hint: t('0: no mail. Your address must be confirmed. The mail names who waits, without the texts.'),
  },
]

async function save(changes: object): Promise<string> {
  await saveOwnSettings(changes)
  return t('Saved')
}

/** The setting for mails about unanswered texts, in minutes. */
export function ReplyMail() {
  const { value: setup } = useSetup()
  if (ownSettings.value === undefined) return <Loading />
  if (setup?.sends_mail === false) return <Notice kind="warning">{NO_MAIL}</Notice>
  const stored = ownSettings.value ?? { reply_mail_minutes: 0 }
  return <RowsForm {...{ draftKey: 'reply-mail', rows: ROWS, stored, save, asks: true }} />
}
