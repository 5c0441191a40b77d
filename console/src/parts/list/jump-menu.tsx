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
      {(close) => (
        <div class="jump-menu">
          {listHeadings().map((heading) => (
            <Button
              key={heading.textContent}
              kind="quiet"
              onClick={() => {
                close()
                jumpTo(heading)
              }}
            >
              {heading.textContent}
            </Button>
          ))}
        </div>
      )}
    </Menu>
  ) : null

/** Scrolls to a heading, and gives it the focus, so that Tab and a screen reader continue there. */
function jumpTo(heading: HTMLElement): void {
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
  heading.closest('.card')?.scrollIntoView()
}
