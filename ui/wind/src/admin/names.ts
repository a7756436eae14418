import * as m from '../paraglide/messages.js';

const SOURCES: Record<string, () => string> = {
  demo: m.admin_source_demo,
  gauges: m.admin_source_gauges,
  metar: m.admin_source_metar,
  poi: m.admin_source_poi,
  taf: m.admin_source_taf,
  ten_minutes: m.admin_source_ten_minutes,
};

const TASKS: Record<string, () => string> = {
  'account-mails': m.admin_task_account_mails,
  'alarm-mails': m.admin_task_alarm_mails,
  'alarm-messengers': m.admin_task_alarm_messengers,
  'alarm-measurements': m.admin_task_alarm_measurements,
  'alarm-push': m.admin_task_alarm_push,
  alarms: m.admin_task_alarms,
  audit: m.admin_task_audit,
  blocks: m.admin_task_blocks,
  demo: m.admin_task_demo,
  'demo-measurements': m.admin_source_demo,
  'demo-ranking': m.admin_task_demo_ranking,
  'demo-weather': m.admin_task_demo_weather,
  'fetch-places': m.admin_task_fetch_places,
  'follow-gauges': m.admin_task_follow_gauges,
  'follow-measurements': m.admin_task_follow_measurements,
  'follow-stations': m.admin_task_follow_stations,
  gauges: m.admin_source_gauges,
  health: m.admin_task_health,
  keys: m.admin_task_keys,
  'keep-forecasts': m.admin_task_keep_forecasts,
  'latest-measurements': m.admin_task_latest_measurements,
  'leader-wind-work': m.admin_task_leader,
  'learn-blend': m.admin_task_learn_blend,
  'store-forecasts': m.admin_task_store_forecasts,
  'verify-forecasts': m.admin_task_verify_forecasts,
  'prune-archive': m.admin_task_prune_archive,
  log: m.admin_task_log,
  metar: m.admin_source_metar,
  mirror: m.admin_task_mirror,
  'models-of-alarms': m.admin_task_models_of_alarms,
  places: m.admin_task_places,
  poi: m.admin_source_poi,
  'prune-forecasts': m.admin_task_prune_forecasts,
  'prune-measurements': m.admin_task_prune_measurements,
  'station-lists': m.admin_task_station_lists,
  stations: m.admin_task_stations,
  statistics: m.admin_task_statistics,
  system: m.admin_task_system,
  taf: m.admin_source_taf,
  'ten-minutes': m.admin_source_ten_minutes,
  trends: m.admin_task_trends,
  workers: m.admin_task_workers,
};

const FETCHES = 'ingest-';

export function sourceName(id: string): string {
  return SOURCES[id]?.() ?? id.toUpperCase();
}

/** Unknown tasks keep the name the server gives them. */
export function taskName(id: string): string {
  if (id.startsWith(FETCHES))
    return m.admin_task_ingest({ model: sourceName(id.slice(FETCHES.length)) });
  return TASKS[id]?.() ?? id;
}
