import { isUser } from '../data/session.ts'
import { t } from '../language/words.ts'
import type { PageEntry } from '../pages.ts'
import { Icon } from '../parts/icon.tsx'
import { makePageHref } from '../router.ts'
import { findSection, SET_UP } from './own-pages.ts'

/** Above a page of a section, the section's pages; above a page to set up, the way back to all of them. */
export function Tabs({ pages, path }: { pages: readonly PageEntry[]; path: string }) {
  const page = pages.find((one) => one.path === path)
  if (page?.group === 'setup' && isUser())
    return (
      <a class="back" href={makePageHref(SET_UP)}>
        <Icon name="left" size={14} /> {t('Set up')}
      </a>
    )
  const section = page ? findSection(page, pages) : []
  if (section.length < 2) return null
  return (
    <nav class="tabs" aria-label={section[0]!.title}>
      {section.map((tab) => (
        <a
          key={tab.path}
          href={makePageHref(tab.path)}
          aria-current={tab === page ? 'page' : undefined}
        >
          {tab.short ?? tab.title}
        </a>
      ))}
    </nav>
  )
}
