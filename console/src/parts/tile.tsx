import type { ComponentChildren } from 'preact'
import type { Tone } from '../data/words/message-states.ts'
import './tile.css'

/** A figure with its name. With `href`, the whole tile is a link. */
export function Tile({
  title,
  value,
  note,
  tone = 'calm',
  href,
}: {
  title: string
  value: ComponentChildren
  note?: string
  tone?: Tone
  href?: string
}) {
  const look = `tile ${tone}`
  const facts = (
    <>
      <span>{title}</span>
      <strong>{value ?? '…'}</strong>
      {note && <span>{note}</span>}
    </>
  )
  return (
    <li>
      {href ? (
        <a class={look} href={href}>
          {facts}
        </a>
      ) : (
        <div class={look}>{facts}</div>
      )}
    </li>
  )
}
