import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType } from '@opentelemetry/sdk-metrics';

/**
 * Reports a gauge only for the labels observed in this collection. With the exporter's default, cumulative temporality, the SDK repeats the
 * last value of every label that was ever observed.
 */
export class CurrentValuesExporter extends PrometheusExporter {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE
      ? AggregationTemporality.DELTA
      : super.selectAggregationTemporality(type);
  }
}
