import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType } from '@opentelemetry/sdk-metrics';

/**
 * Reports a gauge only for the labels that were observed in this read. With cumulative temporality, which is the exporter's
 * default, the SDK repeats the last value of every label that was ever observed.
 */
export class CurrentValuesExporter extends PrometheusExporter {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE
      ? AggregationTemporality.DELTA
      : super.selectAggregationTemporality(type);
  }
}
