/** The public interface of the kit: apps import from here only. */
export { body, createApi, type Api } from './api/client.ts';
export { ApiError } from './api/error.ts';
export { align, type Line } from './chart/align.ts';
export { default as Chart } from './chart/Chart.svelte';
export type { ChartBand, ChartClock, ChartLine } from './chart/chart.ts';
export { chosenSpan } from './chart/chosenSpan.ts';
export { default as SpanChoice } from './chart/SpanChoice.svelte';
export { default as TrendChart } from './chart/TrendChart.svelte';
export { valuesOf, type Span, type Trends } from './chart/trends.ts';
export { createTrends, TrendLoader } from './chart/trends.svelte.ts';
export { number, numberFormat, percent, percentage } from './format/numbers.ts';
export { bytes, speed } from './format/sizes.ts';
export {
  clockTime,
  date,
  dateTime,
  dayMonth,
  duration,
  relativeTime,
  timeLeft,
  weekday,
  weekdayTime,
} from './format/times.ts';
export { default as AuditLog } from './audit/AuditLog.svelte';
export { changesOf } from './forms/changes.ts';
export { default as Choice } from './forms/Choice.svelte';
export { Draft } from './forms/draft.svelte.ts';
export { default as Field } from './forms/Field.svelte';
export { default as FileButton } from './forms/FileButton.svelte';
export { Form } from './forms/form.svelte.ts';
export { default as FormDialog } from './forms/FormDialog.svelte';
export { default as LanguageSelect } from './forms/LanguageSelect.svelte';
export { default as NotificationsCard } from './forms/NotificationsCard.svelte';
export { default as PasswordField } from './forms/PasswordField.svelte';
export { default as Range } from './forms/Range.svelte';
export { default as Recipients } from './forms/Recipients.svelte';
export { default as Search } from './forms/Search.svelte';
export { default as Select } from './forms/Select.svelte';
export { default as SettingsForm } from './forms/SettingsForm.svelte';
export { default as Switch } from './forms/Switch.svelte';
export { default as TextArea } from './forms/TextArea.svelte';
export type { Icon } from './icon.ts';
export { Live } from './live/live.svelte.ts';
export { default as LoadFailure } from './live/LoadFailure.svelte';
export { createLoader, Loader } from './live/loader.svelte.ts';
export { serverEvents, webSocket } from './live/transports.ts';
export { default as BackupsCard } from './overview/BackupsCard.svelte';
export { default as Health } from './overview/Health.svelte';
export { default as SystemTrends } from './overview/SystemTrends.svelte';
export { default as Overview } from './overview/Overview.svelte';
export * as kitTexts from './paraglide/messages.js';
export { default as ConfirmDialog } from './parts/ConfirmDialog.svelte';
export { default as Badge } from './parts/Badge.svelte';
export { default as Button } from './parts/Button.svelte';
export { default as Card } from './parts/Card.svelte';
export { default as CopyText } from './parts/CopyText.svelte';
export { default as Dialog } from './parts/Dialog.svelte';
export { default as EmptyState } from './parts/EmptyState.svelte';
export { default as Facts } from './parts/Facts.svelte';
export { default as Figure } from './parts/Figure.svelte';
export { default as Hint } from './parts/Hint.svelte';
export { default as IconButton } from './parts/IconButton.svelte';
export { default as Menu } from './parts/Menu.svelte';
export type { MenuGroup, MenuItem } from './parts/menu.ts';
export { default as NameList } from './parts/NameList.svelte';
export { default as Notice } from './parts/Notice.svelte';
export { default as Progress } from './parts/Progress.svelte';
export { default as QrCode } from './parts/QrCode.svelte';
export { default as Skeleton } from './parts/Skeleton.svelte';
export { default as Sparkline } from './parts/Sparkline.svelte';
export { toasts } from './parts/toasts.svelte.ts';
export { attempt } from './parts/attempt.ts';
export type { Tone } from './parts/tone.ts';
export { BrowserPush } from './push/browserPush.ts';
export { default as PushCard } from './push/PushCard.svelte';
export { default as PushSwitch } from './push/PushSwitch.svelte';
export { router } from './router/router.svelte.ts';
export { deviceName } from './session/device.ts';
export { default as Gate } from './session/Gate.svelte';
export { Session } from './session/session.svelte.ts';
export { default as SessionList } from './session/SessionList.svelte';
export { default as SessionsCard } from './session/SessionsCard.svelte';
export type { Account, AppInfo, Command, Route } from './shell/app.ts';
export { default as AppearanceCard } from './shell/AppearanceCard.svelte';
export { default as MainAction } from './shell/MainAction.svelte';
export { default as Shell } from './shell/Shell.svelte';
export { tab } from './shell/tab.svelte.ts';
export { default as Welcome } from './shell/Welcome.svelte';
export { default as WelcomeForm } from './shell/WelcomeForm.svelte';
export { startWorker } from './shell/worker.ts';
export { start } from './start.ts';
export { store, stored } from './storage.ts';
export type { Column } from './table/column.ts';
export { droppedRows, holdsRows, type RowDrag } from './table/drag.svelte.ts';
export type { Selection } from './table/selection.ts';
export { default as ListFrame } from './table/ListFrame.svelte';
export { default as Table } from './table/Table.svelte';
export { codeText, errorText, ExplainedError } from './texts/errors.ts';
export { language } from './texts/language.svelte.ts';
export { currentTheme } from './theme/current.ts';
export { theme } from './theme/theme.svelte.ts';
export type { TourStep } from './tour/steps.ts';
export type { TreeRow } from './tree/row.ts';
export { default as Tree } from './tree/Tree.svelte';
