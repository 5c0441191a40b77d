import { useEffect, useRef } from 'preact/hooks'
import type { Language } from '#portable/languages.ts'
import { language } from '../../language/language.ts'
import { t, tx } from '../../language/words.ts'
import { Page as Frame } from '../../parts/page.tsx'
import { makePageHref, type PageProps } from '../../router.ts'
import './page.css'

type LoadHelp = () => Promise<typeof import('../../../../docs/console.md')>

const loadEnglish: LoadHelp = () => import('../../../../docs/console.md')
/** Translations of the help. The browser loads only the one in its language, or else the English help. */
const TRANSLATIONS: Readonly<Partial<Record<Language, LoadHelp>>> = {
  de: () => import('../../../../docs/console/de.md'),
  es: () => import('../../../../docs/console/es.md'),
  fr: () => import('../../../../docs/console/fr.md'),
  pt: () => import('../../../../docs/console/pt.md'),
}
const { sections } = await (TRANSLATIONS[language] ?? loadEnglish)()
const helpLanguage = TRANSLATIONS[language] ? language : 'en'

/** The help: docs/console.md or its translation. `:section` is the heading to scroll to. */
export function Page({ params: { section = '' } }: PageProps) {
  const chosen = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // in a frame of its own, because the shell scrolls each new page to its top
    const frame = requestAnimationFrame(() => {
      chosen.current?.scrollIntoView()
      chosen.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [section])
  return (
    <Frame
      title={t('Help')}
      text={tx('For people who work in the console. For programs there is the {link}.', {
        link: <a href="/docs">{t('API reference')}</a>,
      })}
    >
      <div class="help-page" lang={helpLanguage}>
        <nav aria-label={t('Sections')}>
          <ul class="help-sections">
            {sections.map(({ id, title }) => (
              <li key={id}>
                <a
                  href={makePageHref(`/help/${id}`)}
                  aria-current={id === section ? 'true' : undefined}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="help-text">
          {sections.map(({ id, title, html }) => (
            <section key={id}>
              <h2 ref={id === section ? chosen : undefined} tabIndex={-1}>
                {title}
              </h2>
              {/* HTML built from our own docs, never from user input */}
              <div dangerouslySetInnerHTML={{ __html: html }} />
            </section>
          ))}
        </div>
      </div>
    </Frame>
  )
}
