import { body, codeText, router, toasts, attempt } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';

/** Whether the server has to open the file; only plain text is shown for editing. */
export const isContainer = ({ name, type }: File): boolean =>
  !/\.(txt|url|list)$/i.test(name) && type !== 'text/plain';

/** Add the content of the files to the link grabber, and show which files could not be read. */
export function openContainers(files: File[]): Promise<boolean> {
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  return attempt(async () => {
    // The types of the document describe files as text.
    const sent = { body: form as never };
    const { packages, refused } = await body(api.POST('/api/containers', sent));
    for (const { file, error } of refused)
      toasts.show(m.add_file_refused({ file, reason: codeText(error.code, error.inputs) }));
    if (packages.length === 0) return;
    toasts.show(m.add_files_done({ count: packages.length }));
    router.go('/grabber');
  });
}
