/** Downloads a text or a blob as a file. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  download(name, url)
  // after a minute the download has begun
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Downloads the file of a URL, of any size. */
export function download(name: string, url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
