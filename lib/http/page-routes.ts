/** Routes for people: the market page and the API reference, whose files have a budget of their own. */

/** Share images are not among them: each may cost some tens of milliseconds. */
const PAGES = /^\/(?:market|documentation|status)(?:\/(?!pool\/:pool_id\/card)|$)/

/** Whether a route template is one of them; undefined: the path does not exist. */
export const isPageRoute = (template: string | undefined) => template !== undefined && PAGES.test(template)

/** A page that says `sentence`, for a browser that asks for a page and can't have it. */
export const pageOf = (sentence: string) =>
  '<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" ' +
    `content="width=device-width"><title>${sentence}</title><p>${sentence}</p></html>\n`
