import { useState } from 'preact/hooks'
import './when-menu.css'
import { listComingDays, makeInAnHour } from '../../data/text/coming-days.ts'
import { findTimeFault, formatLocal } from '../../data/text/local-time.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../form/field.tsx'
import { Button } from '../form/form.tsx'
import { Menu } from './menu.tsx'

const times = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: 'numeric',
})

/** A button with a clock that offers some future times, and any other time. */
export function WhenMenu({
  words,
  shortcut,
  disabled,
  action,
  onPick,
}: {
  words: string
  shortcut?: string
  disabled?: boolean
  action: string
  onPick: (at: Date) => void
}) {
  return (
    <Menu words={words} icon="clock" iconOnly shortcut={shortcut} disabled={disabled}>
      {(close) => (
        <Times
          action={action}
          onPick={(at) => {
            close()
            onPick(at)
          }}
        />
      )}
    </Menu>
  )
}

function Times({ action, onPick }: { action: string; onPick: (at: Date) => void }) {
  const [named] = useState(() => [makeInAnHour(new Date()), ...listComingDays(new Date())])
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const pick = () => {
    const found = findTimeFault({ isLater: true, at: typed })
    setFault(found.at)
    if (!found.at) onPick(new Date(typed))
  }
  return (
    <div class="when-menu">
      {named.map(({ words, at }) => (
        <Button key={words} kind="quiet" onClick={() => onPick(at)}>
          {words} <span class="muted">{times.format(at)}</span>
        </Button>
      ))}
      <TextField
        label={t('Another time')}
        name="at"
        type="datetime-local"
        min={formatLocal(Date.now())}
        value={typed}
        onValue={setTyped}
        error={fault}
        onKeyDown={(event) => {
          // Enter must not submit a surrounding form
          if (event.key !== 'Enter') return
          event.preventDefault()
          pick()
        }}
      />
      <Button onClick={pick}>{action}</Button>
    </div>
  )
}
