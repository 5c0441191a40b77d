import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Contacts. */
export const Page = () => (
  <Frame title="Contacts">
    <Empty icon="contacts" title="No contacts yet">
      Add the first one, or import a file.
    </Empty>
  </Frame>
)
