<?php
// ADEX-shaped script buying in format B with the key as it was pasted. To it `processing` is a sale, and a reply without
// `Status` a refund.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

function buy(string $path, array $fields): ?array
{
    global $address, $key;
    return json_decode(send("$address$path", [
        CURLOPT_POST => 1,
        CURLOPT_POSTFIELDS => json_encode($fields),
        CURLOPT_HTTPHEADER => ["Authorization: Token $key", 'Content-Type: application/json'],
    ]), true);
}

function conclude(?array $reply, array $details = []): never
{
    if (empty($reply)) {
        tell('pending', null);
    }
    if (!isset($reply['Status'])) {
        tell('refunded', $reply['error'][0] ?? null);
    }
    $common = ['reference' => $reply['ident'], 'balance' => $reply['balance_after']];
    if ($reply['Status'] == 'successful' || $reply['Status'] == 'processing') {
        tell('delivered', $reply['api_response'], [...$common, ...$details]);
    }
    tell('refunded', $reply['api_response'], $common);
}

switch ($service) {
    case 'airtime':
        conclude(buy('/api/topup/', [
            'network' => $order['network'],
            'amount' => $order['amount'],
            'mobile_number' => $order['phone'],
            'Ported_number' => true,
            'airtime_type' => 'VTU',
        ]));
    case 'data':
        $reply = buy('/api/data/', [
            'network' => $order['network'],
            'mobile_number' => $order['phone'],
            'plan' => $order['plan'],
            'Ported_number' => true,
        ]);
        conclude($reply, ['plan' => $reply['plan_name'] ?? null]);
    case 'cable':
        $reply = buy('/api/cablesub/', [
            'cablename' => $order['cable'],
            'cableplan' => $order['plan'],
            'smart_card_number' => $order['iuc'],
        ]);
        conclude($reply, ['plan' => $reply['package'] ?? null]);
    case 'electricity':
        $reply = buy('/api/billpayment/', [
            'disco_name' => $order['disco'],
            'amount' => $order['amount'],
            'meter_number' => $order['meter'],
            'MeterType' => $order['meter_type'],
        ]);
        conclude($reply, ['token' => $reply['token'] ?? null]);
    case 'exam':
        $reply = buy('/api/epin/', ['exam_name' => $order['exam'], 'quantity' => $order['quantity']]);
        conclude($reply, ['pins' => explode(',', $reply['pins'] ?? $reply['pin'] ?? '')]);
}
