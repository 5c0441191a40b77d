import { useEffect, useState } from 'preact/hooks'
import { isPhone } from '../../data/use/media-queries.ts'
import { t } from '../../language/words.ts'
import { Button } from '../form/form.tsx'
import { Menu } from './menu.tsx'
import './jump-menu.css'

const listHeadings = () => [...document.querySelectorAll<HTMLElement>('main .card h2')]

/** On phones: a button that lists the cards of the page, and scrolls to the one that a person chooses. */
export const JumpMenu = () =>
  isPhone.value ? (
    <Menu words={t('Jump to')} icon="down">
      {(close) => <Headings onChosen={close} />}
    </Menu>
  ) : null

/** The headings of the cards, also of those that show only when their values have been read. */
function Headings({ onChosen }: { onChosen: () => void }) {
  const [headings, setHeadings] = useState(listHeadings)
  useEffect(() => {
    const observer = new MutationObserver(() => setHeadings(listHeadings()))
    observer.observe(document.querySelector('main')!, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return (
    <div class="jump-menu">
      {headings.map((heading) => (
        <Button
          key={heading.textContent}
          kind="quiet"
          onClick={() => {
            onChosen()
            jumpTo(heading)
          }}
        >
          {heading.textContent}
        </Button>
      ))}
    </div>
  )
}

/** Scrolls to a heading, and gives it the focus, so that Tab and a screen reader continue there. */
function jumpTo(heading: HTMLElement): void {
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
  heading.closest('.card')?.scrollIntoView()
}
