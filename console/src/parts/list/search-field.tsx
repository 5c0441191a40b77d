import './search-field.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'

const CALM_MS = 400

export function SearchField({
  label,
  value,
  onValue,
}: {
  label: string
  value: string
  onValue: (words: string) => void
}) {
  const [draft, setDraft] = useState(value)
  const latest = useRef(onValue)
  latest.current = onValue
  useEffect(() => setDraft(value), [value])
  useEffect(() => {
    if (draft === value) return
    const timer = setTimeout(() => latest.current(draft), CALM_MS)
    return () => clearTimeout(timer)
  }, [draft])
  return (
    <label class="search-field">
      <span class="unseen">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={label}
        enterkeyhint="search"
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
    </label>
  )
}
