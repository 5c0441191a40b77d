import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { focusTitle } from '../data/focus-title.ts'
import { announced } from '../data/unread.ts'
import { Icon } from './icon.tsx'

/**
 * A page: its title (the browser's, too, with the number of unread conversations), one line about it, its
 * main actions, its content. `back`: the list that it is out of. When it is first shown its title gets the
 * focus, unless something else has it.
 */
export function Page({
  title,
  text,
  back,
  actions,
  children,
}: {
  title: string
  back?: { readonly href: string; readonly words: string }
  text?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${announced.value > 0 ? `(${announced.value}) ` : ''}${title} · pocketsms`
  }, [title, announced.value])
  // a page that reads a record first shows its title later
  useEffect(focusTitle, [])
  return (
    <>
      <header class="page-head">
        <div>
          {back && (
            <a class="back" href={back.href}>
              <Icon name="left" size={14} /> {back.words}
            </a>
          )}
          <h1 tabIndex={-1}>{title}</h1>
          {text && <p>{text}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

/** A part of a page, with a frame around it. */
export const Card = ({
  title,
  actions,
  children,
}: {
  title?: string
  actions?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="card">
    {title && (
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)
