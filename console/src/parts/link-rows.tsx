import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { moveFocus } from './list/arrows.ts'
import './link-rows.css'

export interface LinkRow {
  readonly href: string
  /** An icon, or an element such as a person's avatar. */
  readonly lead: IconName | ComponentChildren
  readonly tone?: 'bad' | 'warn'
  readonly title: string
  /** Whether the title is a sentence, which is not cut. */
  readonly isSentence?: boolean
  readonly text: ComponentChildren
  /** Whether the text has one line. */
  readonly isCut?: boolean
  /** At the end of the row, for example a time. */
  readonly end?: ComponentChildren
}

/** Rows that each lead to a page: what it is, a sentence about it, and what stands at its end. */
export const LinkRows = ({ rows }: { rows: readonly LinkRow[] }) => (
  <ul class="link-rows" onKeyDown={moveFocus}>
    {rows.map(({ href, lead, tone = '', title, isSentence, text, isCut, end }) => (
      <li key={href}>
        <a href={href}>
          {typeof lead === 'string' ? (
            <span class={`link-row-icon ${tone}`}>
              <Icon name={lead as IconName} size={20} />
            </span>
          ) : (
            lead
          )}
          <span class="link-row-words">
            <strong class={isSentence ? '' : 'cut'}>
              <bdi>{title}</bdi>
            </strong>
            <span class={isCut ? 'cut' : ''}>{isCut ? <bdi>{text}</bdi> : text}</span>
          </span>
          {end && <span class="link-row-end">{end}</span>}
        </a>
      </li>
    ))}
  </ul>
)
