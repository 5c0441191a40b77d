import { UNDO_SECONDS } from '#portable/undo-seconds.ts'
import type { Session } from '../../data/session.ts'
import { savePersonalChoices, usePersonalChoices } from '../../data/team/personal-choices.ts'
import { t, tn } from '../../language/words.ts'
import { SelectField } from '../../parts/form/field.tsx'
import { Card } from '../../parts/page.tsx'
import { runWithToast } from '../../parts/toast.tsx'

const CHOICES = [0, 5, 10, 20]

/** How long the person can take back an answer. */
export function UndoChoice({ session }: { session: Session }) {
  const chosen = usePersonalChoices(session)?.undo_seconds ?? UNDO_SECONDS
  const seconds = CHOICES.includes(chosen) ? CHOICES : [...CHOICES, chosen]
  const save = (value: string) =>
    runWithToast(() => savePersonalChoices(session, { undo_seconds: Number(value) }), t('Saved'))
  return (
    <Card title={t('Answers')}>
      <SelectField
        label={t('Undo an answer')}
        name="undo_seconds"
        value={String(chosen)}
        onValue={(value) => void save(value)}
        choices={seconds.map((count) => [
          String(count),
          count === 0
            ? t('No, send at once')
            : tn('Within {count} second', 'Within {count} seconds', count),
        ])}
        hint={t(
          'Meanwhile the server keeps the text. It is sent after these seconds, even if you close the page.',
        )}
      />
    </Card>
  )
}
